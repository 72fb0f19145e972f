#include "names.hpp"

#include <harness/operator/arguments.hpp>
#include <harness/operator/operator_table.hpp>

namespace relapse {
namespace {

using namespace test;

/// The IValue that one argument of an operator's overload gets, in words, or why it gets none.
std::string converted(const std::string& op, const std::string& overload, const std::string& argument,
                      const std::string& value, Names names = {}) {
  for (const c10::OperatorHandle& handle : OperatorTable::installed().overloads("aten::" + op)) {
    if (handle.schema().overload_name() != overload) continue;
    for (const c10::Argument& one : handle.schema().arguments()) {
      if (one.name() != argument) continue;
      c10::IValue out;
      std::string why;
      if (!convert_argument(names.eval(value), one, out, why)) return why;
      if (out.isTensor()) return "Tensor " + text_of(out.toTensor());
      if (out.isNone()) return "None";
      // `type()` tells lists apart by their elements.
      std::ostringstream text;
      text << out.type()->str() << ' ' << out;
      return out.isTensorList() || (out.isList() && !out.isIntList() && !out.isDoubleList())
                 ? out.type()->str()
                 : text.str();
    }
  }
  return "no such argument";
}

Names with_tensors() {
  return with({{"x", "arange(2)"}, {"t", "ones([2])"}});
}

TEST(Arguments, TakeTensorsAndNoneWhereItMayBeAbsent) {
  EXPECT_EQ(converted("relu", "", "self", "x", with_tensors()), "Tensor int64 [2] 0 1");
  EXPECT_EQ(converted("relu", "", "self", "none"), "self: expected a tensor, got none");
  EXPECT_EQ(converted("relu", "", "self", "3"), "self: expected a tensor, got an integer");
  EXPECT_EQ(converted("conv2d", "", "bias", "none"), "None");
  EXPECT_EQ(converted("conv2d", "", "bias", "t", with_tensors()), "Tensor float32 [2] 1 1");
}

TEST(Arguments, TakeIntegersOnlyAsIntegers) {
  EXPECT_EQ(converted("softmax", "int", "dim", "-1"), "int -1");
  EXPECT_EQ(converted("softmax", "int", "dim", "9223372036854775807"), "int 9223372036854775807");
  EXPECT_EQ(converted("softmax", "int", "dim", "1.0"), "dim: expected an integer, got a float");
  EXPECT_EQ(converted("softmax", "int", "dim", "true"), "dim: expected an integer, got a bool");
  EXPECT_EQ(converted("narrow", "", "start", "2"), "int 2") << "a symbolic integer";
}

TEST(Arguments, MakeFloatsOfIntegersAndNeverOfBools) {
  EXPECT_EQ(converted("dropout", "", "p", "1"), "float 1.");
  EXPECT_EQ(converted("dropout", "", "p", "0.5"), "float 0.5");
  EXPECT_EQ(converted("dropout", "", "p", "true"), "p: expected a float, got a bool");
  EXPECT_EQ(converted("dropout", "", "train", "1"), "train: expected true or false, got an integer");
  EXPECT_EQ(converted("dropout", "", "train", "false"), "bool False");
}

TEST(Arguments, KeepTheKindOfScalars) {
  EXPECT_EQ(converted("add", "Tensor", "alpha", "2"), "int 2");
  EXPECT_EQ(converted("add", "Tensor", "alpha", "2.0"), "float 2.");
  EXPECT_EQ(converted("add", "Tensor", "alpha", "true"), "bool True");
  EXPECT_EQ(converted("add", "Tensor", "alpha", "'x'"), "alpha: expected a number, got a text");
}

TEST(Arguments, SpreadAnIntegerOverAListOfKnownLength) {
  EXPECT_EQ(converted("max_pool2d", "", "kernel_size", "3"), "int[] [3, 3]");
  EXPECT_EQ(converted("max_pool2d", "", "kernel_size", "[3, 2]"), "int[] [3, 2]");
  EXPECT_EQ(converted("sum", "dim_IntList", "dim", "1"), "int[] [1]") << "int[1]?";
  EXPECT_EQ(converted("zeros", "", "size", "3"), "size: expected a list, got an integer");
  EXPECT_EQ(converted("zeros", "", "size", "[]"), "int[] []");
  EXPECT_EQ(converted("zeros", "", "size", "[2, 1.5]"), "size: expected an integer, got a float");
}

TEST(Arguments, TakeListsByTheirElements) {
  EXPECT_EQ(converted("cat", "", "tensors", "[x, x]", with_tensors()), "Tensor[]");
  EXPECT_EQ(converted("cat", "", "tensors", "[x, 1]", with_tensors()),
            "tensors: expected a tensor, got an integer");
  EXPECT_EQ(converted("index", "Tensor", "indices", "[none, x]", with_tensors()), "Tensor?[]");
  EXPECT_EQ(converted("index", "Tensor", "indices", "[1]"), "indices: expected a tensor, got an integer");
  EXPECT_EQ(converted("upsample_nearest2d", "vec", "scale_factors", "[2, 1.5]"), "float[] [2., 1.5]");
  EXPECT_EQ(converted("upsample_nearest2d", "vec", "scale_factors", "none"), "None");
  EXPECT_EQ(converted("convolution_backward", "", "output_mask", "[true, false, true]"), "bool[]");
}

TEST(Arguments, TakeTextWordsAndDevices) {
  EXPECT_EQ(converted("einsum", "", "equation", "'ij->i'"), "str ij->i");
  EXPECT_EQ(converted("einsum", "", "equation", "3"),
            "equation: expected a text in single quotes, got an integer");
  EXPECT_EQ(converted("zeros", "", "device", "'cpu'"), "Device cpu");
  EXPECT_EQ(converted("zeros", "", "device", "cpu", Names().set("cpu", {std::int64_t{1}})),
            "device: expected a device in single quotes, got an integer");
}

// An exception here would pass for one of the operator, and a case may ask for errors.
TEST(Arguments, RefuseATextThatIsNoDevice) {
  EXPECT_EQ(converted("zeros", "", "device", "'cdua'"),
            "device: expected a device such as 'cpu', got 'cdua'");
}

TEST(Arguments, TakeDtypesLayoutsAndMemoryFormatsByName) {
  EXPECT_EQ(converted("zeros", "", "dtype", "bfloat16"), "int 15");
  EXPECT_EQ(converted("zeros", "", "dtype", "15"), "dtype: expected a dtype, got an integer");
  EXPECT_EQ(converted("zeros", "", "dtype", "none"), "None");
  EXPECT_EQ(converted("zeros", "", "layout", "sparse_csr"), "int 2");
  EXPECT_EQ(converted("zeros", "", "layout", "float32"), "layout: expected a layout, got a dtype");
  EXPECT_EQ(converted("clone", "", "memory_format", "channels_last"), "int 2");
  EXPECT_EQ(converted("clone", "", "memory_format", "2"),
            "memory_format: expected a memory format, got an integer");
}

TEST(Arguments, KnowTheWordsOfModes) {
  EXPECT_EQ(converted("cross_entropy_loss", "", "reduction", "'none'"), "int 0");
  EXPECT_EQ(converted("cross_entropy_loss", "", "reduction", "'mean'"), "int 1");
  EXPECT_EQ(converted("cross_entropy_loss", "", "reduction", "'sum'"), "int 2");
  EXPECT_EQ(converted("cross_entropy_loss", "", "reduction", "2"), "int 2");
  EXPECT_EQ(converted("cross_entropy_loss", "", "reduction", "'avg'"),
            "reduction: expected none, mean or sum or its number, got 'avg'");
  EXPECT_EQ(converted("embedding_bag", "", "mode", "'max'"), "int 2");
  EXPECT_EQ(converted("grid_sampler", "", "padding_mode", "'border'"), "int 1");
  EXPECT_EQ(converted("grid_sampler", "", "interpolation_mode", "'bicubic'"), "int 2");
  EXPECT_EQ(converted("softmax", "int", "dim", "'mean'"), "dim: expected an integer, got 'mean'");
}

TEST(Arguments, TakeNoGeneratorButNone) {
  EXPECT_EQ(converted("bernoulli", "", "generator", "none"), "None");
  EXPECT_EQ(converted("bernoulli", "", "generator", "3"),
            "generator: arguments of type Generator are not supported");
}

}  // namespace
}  // namespace relapse
