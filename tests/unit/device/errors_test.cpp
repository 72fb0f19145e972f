#include <ATen/ops/empty.h>
#include <ATen/ops/index_select.h>
#include <gtest/gtest.h>

#include <harness/device/errors.hpp>
#include <new>
#include <stdexcept>

namespace relapse {
namespace {

template <class Function>
Raised raised_by(Function&& function) {
  try {
    function();
  } catch (...) {
    return classify(std::current_exception());
  }
  return {};
}

TEST(Errors, AreSortedFromTheNarrowToTheWide) {
  const auto class_of = [](auto error) { return raised_by([&] { throw error; }).error; };
  const c10::SourceLocation here{"f", "x.cpp", 1};
  EXPECT_EQ(class_of(c10::IndexError(here, "x")), ErrorClass::index_error);
  EXPECT_EQ(class_of(c10::TypeError(here, "x")), ErrorClass::type_error);
  EXPECT_EQ(class_of(c10::ValueError(here, "x")), ErrorClass::value_error);
  EXPECT_EQ(class_of(c10::NotImplementedError(here, "x")), ErrorClass::not_implemented);
  EXPECT_EQ(class_of(c10::LinAlgError(here, "x")), ErrorClass::linalg_error);
  EXPECT_EQ(class_of(c10::OutOfMemoryError(here, "x")), ErrorClass::out_of_memory);
  EXPECT_EQ(class_of(c10::Error(here, "x")), ErrorClass::runtime_error);
  EXPECT_EQ(class_of(std::bad_alloc()), ErrorClass::out_of_memory);
  EXPECT_EQ(class_of(std::out_of_range("x")), ErrorClass::index_error);
  EXPECT_EQ(class_of(std::invalid_argument("x")), ErrorClass::value_error);
  EXPECT_EQ(class_of(std::runtime_error("x")), ErrorClass::runtime_error);
  EXPECT_EQ(class_of(std::logic_error("x")), ErrorClass::runtime_error);
}

TEST(Errors, OfAnAcceleratorKeepTheirCode) {
  const Raised raised = raised_by([] {
    throw c10::AcceleratorError({"f", "x.cpp", 1}, 710, "CUDA error: device-side assert triggered\n");
  });
  EXPECT_EQ(raised.error, ErrorClass::runtime_error);
  EXPECT_EQ(raised.type, "c10::AcceleratorError");
  EXPECT_EQ(raised.code, 710);
  EXPECT_EQ(raised.text, "CUDA error: device-side assert triggered");
}

TEST(Errors, OfLibTorchComeWithoutTheBacktrace) {
  const Raised raised = raised_by([] {
    const at::Tensor index = at::empty({1}, at::TensorOptions(at::kLong)).fill_(7);
    at::index_select(at::empty({2}), 0, index);
  });
  EXPECT_EQ(raised.error, ErrorClass::index_error);
  EXPECT_EQ(raised.type, "c10::IndexError");
  EXPECT_EQ(raised.text, "index out of range in self");
  EXPECT_FALSE(raised.code.has_value());
}

TEST(Errors, OfAMissingKernelAreCutBeforeTheListOfRegistrations) {
  const Raised raised = raised_by([] {
    throw c10::NotImplementedError({"f", "x.cpp", 1}, "Could not run 'aten::f'.\n\nCPU: registered at ...\n");
  });
  EXPECT_EQ(raised.text, "Could not run 'aten::f'.");
}

TEST(Errors, OfTheHostAllocatorAreOutOfMemory) {
  const Raised raised = raised_by([] { at::empty({std::int64_t(1) << 58}); });
  EXPECT_EQ(raised.error, ErrorClass::out_of_memory) << raised.text;
}

TEST(Errors, MayBeNoExceptionAtAll) {
  const Raised raised = raised_by([] { throw 7; });
  EXPECT_EQ(raised.error, ErrorClass::runtime_error);
  EXPECT_EQ(raised.type, "unknown");
}

}  // namespace
}  // namespace relapse
