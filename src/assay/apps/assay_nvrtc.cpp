#include <string>
#include <vector>

#include <assay/build/nvrtc_program.hpp>

int main(int argc, char** argv) {
  return assay::build::run_nvrtc(std::vector<std::string>(argv + (argc > 0 ? 1 : 0), argv + argc));
}
