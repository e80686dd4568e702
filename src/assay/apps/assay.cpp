#include <assay/cli/program.hpp>

/// The program `assay`: everything but judging and running candidates, which its two companions do.
int main(int argc, char** argv) { return assay::cli::run(argc, argv); }
