#include <assay/worker/session.hpp>

int main() { return assay::worker::serve(); }
