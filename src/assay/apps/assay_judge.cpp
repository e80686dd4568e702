#include <assay/evaluate/program.hpp>

int main(int argc, char** argv) { return assay::evaluate::run_judge(argc, argv); }
