#include <a  //b.h> // c
#define X 1 + 2
const char* s = R"x(a // "b)x";
int n = 1'000; /* c */
char c = '"';  // don't
a + +b;
