#include <ATen/TensorOperators.h>

#include <harness/subject/environment.hpp>

#include "../operator/names.hpp"

namespace relapse {
namespace {

using namespace test;

Inputs inputs_of(std::vector<std::pair<std::string, c10::IValue>> values) {
  Inputs inputs;
  for (auto& [name, value] : values) inputs.all.push_back({name, value, false, {}, {}});
  return inputs;
}

TEST(Environment, KnowsInputsResultsAndGradients) {
  at::Tensor x = tensor("ones([2])").set_requires_grad(true);
  Environment environment(inputs_of({{"x", x}, {"n", std::int64_t{3}}, {"none", c10::IValue()}}));
  EXPECT_EQ(environment.input_names(), (std::vector<std::string>{"x", "n", "none"}));
  EXPECT_EQ(value_text(*environment.find("n")), "3");
  EXPECT_TRUE(environment.find("none")->is_none());
  EXPECT_EQ(environment.find("y"), nullptr);
  EXPECT_EQ(environment.find("x.grad"), nullptr) << "not before backward";
  EXPECT_EQ(environment.find("n.grad"), nullptr);
  EXPECT_EQ(environment.find(".grad"), nullptr);
  (x * 2).sum().backward();
  EXPECT_EQ(text_of(*environment.find("x.grad")), "float32 [2] 2 2");
  environment.bind("y", {tensor("arange(2)")});
  EXPECT_EQ(text_of(*environment.find("y")), "int64 [2] 0 1");
}

TEST(Environment, KeepsTheInputOfAReboundName) {
  const at::Tensor x = tensor("ones([2])").set_requires_grad(true);
  Environment environment(inputs_of({{"x", x}}));
  environment.bind("x", {x * 3});
  x.sum().backward();
  EXPECT_EQ(text_of(*environment.find("x")), "float32 [2] 3 3");
  EXPECT_EQ(text_of(*environment.find("x.grad")), "float32 [2] 1 1");
  EXPECT_TRUE(environment.input_tensor("x").is_same(x));
  EXPECT_FALSE(environment.input_tensor("y").defined());
  environment.bind("x.grad", {std::int64_t{4}});
  EXPECT_EQ(value_text(*environment.find("x.grad")), "4") << "a rebound gradient comes first";
}

}  // namespace
}  // namespace relapse
