// Tests of the simulated device: a program with LibTorch that loads it as any plugin, by its path.

#include <ATen/Parallel.h>
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstdio>

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  // One thread: children are forked.
  at::set_num_threads(1);
  if (::dlopen(RELAPSE_SIM_DEVICE, RTLD_NOW | RTLD_GLOBAL) == nullptr) {
    std::fprintf(stderr, "%s\n", ::dlerror());
    return 1;
  }
  return RUN_ALL_TESTS();
}
