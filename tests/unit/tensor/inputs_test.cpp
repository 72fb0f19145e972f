#include <gtest/gtest.h>

#include <harness/tensor/facts.hpp>
#include <stdexcept>

#include "builders.hpp"

namespace relapse {
namespace {

using namespace test;
using I = std::int64_t;

/// Knows `a + b`, `a.t()` and names: enough to see what is handed over.
c10::IValue evaluate(const Expr& expr, const Bound& bound, const Symbols& symbols) {
  if (expr.kind == ExprKind::name) {
    const auto found = bound.find(expr.text);
    if (found != bound.end()) return found->second;
    if (const auto dim = symbols.dim(expr.text)) return c10::IValue(*dim);
    throw std::runtime_error("unknown name " + expr.text);
  }
  if (expr.kind == ExprKind::method) return evaluate(*expr.args[0], bound, symbols).toTensor().t();
  const c10::IValue left = evaluate(*expr.args[0], bound, symbols),
                    right = evaluate(*expr.args[1], bound, symbols);
  if (!left.isTensor()) return left.toInt() + right.toInt();
  return right.isTensor() ? left.toTensor().add(right.toTensor()) : left.toTensor().add(right.toInt());
}

struct CaseBuilder {
  Case kase;
  Scenario scenario;

  CaseBuilder() { kase.file = "cases/index/some.yaml"; }
  CaseBuilder& requires_(const Clauses& clauses) {
    kase.contract.requires_.names.push_back(clauses.contract);
    return *this;
  }
  CaseBuilder& dim(const std::string& name, const std::string& value) {
    kase.dims.push_back({name, expr(value), {}});
    return *this;
  }
  CaseBuilder& input(const std::string& name, InputForm form) {
    kase.inputs.push_back({name, {5, 3}, std::move(form)});
    return *this;
  }
  CaseBuilder& overlay(const std::string& name, InputForm form) {
    scenario.inputs.push_back({name, {15, 3}, std::move(form)});
    return *this;
  }
  FormResult<Inputs> make() const { return make_inputs(kase, scenario, evaluate); }
  std::string error() const {
    const FormResult<Inputs> inputs = make();
    return inputs ? "no error" : inputs.error().message;
  }
};
std::string text_of_input(const Inputs& inputs, const std::string& name) {
  return text_of(inputs.find(name)->value.toTensor());
}

TEST(MakeInputs, OverlaysWholeFormsInTheOrderOfRequires) {
  const Inputs inputs = *CaseBuilder()
                             .dim("N", "2")
                             .requires_(Clauses("b").dtype(DType::int64).shape({"N"}).min("0").max("9"))
                             .requires_(Clauses("a").dtype(DType::float32).shape({"N"}))
                             .input("extra", fill(Fill::zeros))
                             .input("a", fill(Fill::ones))
                             .overlay("extra", row({I(1)}))
                             .make();
  ASSERT_EQ(inputs.all.size(), 3u);
  EXPECT_EQ(inputs.all[0].name, "b");
  EXPECT_EQ(inputs.all[1].name, "a");
  EXPECT_EQ(inputs.all[2].name, "extra");
  EXPECT_EQ(text_of_input(inputs, "a"), "1 1");
  EXPECT_EQ(text_of_input(inputs, "extra"), "1");
  EXPECT_EQ(inputs.all[0].pos, (SourcePos{10, 5}));
  EXPECT_EQ(inputs.all[1].pos, (SourcePos{5, 3}));
  EXPECT_EQ(inputs.all[2].pos, (SourcePos{15, 3}));
}

TEST(MakeInputs, BindsUnlistedDimsFromShapes) {
  // The generated input comes first in the file and waits for the one whose values say what N is.
  const Inputs inputs = *CaseBuilder()
                             .requires_(Clauses("logits").dtype(DType::float32).shape({"N", "C"}))
                             .requires_(Clauses("target").dtype(DType::int64).shape({"N"}))
                             .dim("C", "3")
                             .overlay("target", row({I(0), I(1), I(2), I(9)}))
                             .make();
  EXPECT_EQ(inputs.find("logits")->value.toTensor().sizes(), c10::IntArrayRef({4, 3}));
  EXPECT_EQ(inputs.symbols.dim("N"), 4);
}

TEST(MakeInputs, KeepsListedDimsWhateverTheShapesAre) {
  const Inputs inputs = *CaseBuilder()
                             .dim("N", "2")
                             .requires_(Clauses("x").dtype(DType::int64).shape({"N"}))
                             .overlay("x", row({I(1), I(2), I(3)}))
                             .make();
  EXPECT_EQ(inputs.symbols.dim("N"), 2);
  EXPECT_EQ(text_of_input(inputs, "x"), "1 2 3");
}

TEST(MakeInputs, NamesTheDimThatNothingBinds) {
  EXPECT_EQ(
      CaseBuilder().requires_(Clauses("x").dtype(DType::float32).shape({"N"})).error(),
      "x: extent N: unknown name \"N\"; dims are listed in `dims`, or bound by the shape of an input with "
      "values");
}

TEST(MakeInputs, ComputesFromInputsWhateverTheirOrder) {
  const Inputs inputs = *CaseBuilder()
                             .dim("K", "10")
                             .input("sum", computed("a + twice"))
                             .input("twice", computed("a + a"))
                             .input("a", row({I(1), I(2)}))
                             .input("shifted", computed("a + K"))
                             .make();
  EXPECT_EQ(text_of_input(inputs, "sum"), "3 6");
  EXPECT_EQ(text_of_input(inputs, "shifted"), "11 12");
}

TEST(MakeInputs, ComputedInputsKeepTheirDtypeAndHaveStorageOfTheirOwn) {
  const Inputs inputs = *CaseBuilder()
                             .requires_(Clauses("c").dtype(DType::float32).shape({"2", "1"}))
                             .input("a", values({1, 2}, {I(1), I(2)}))
                             .input("c", computed("a.t()"))
                             .make();
  const at::Tensor& c = inputs.find("c")->value.toTensor();
  EXPECT_EQ(c.scalar_type(), at::kLong);
  EXPECT_FALSE(c.storage().is_alias_of(inputs.find("a")->value.toTensor().storage()));
}

TEST(MakeInputs, TellsACircleAndWhatCannotBeComputed) {
  EXPECT_EQ(CaseBuilder().input("a", computed("b + b")).input("b", computed("a + a")).error(),
            "a: inputs are computed from each other in a circle: a from b from a");
  EXPECT_EQ(CaseBuilder().input("a", row({I(1)})).input("b", computed("a + q")).error(),
            "b: `=a + q` cannot be computed: unknown name q");
  EXPECT_EQ(CaseBuilder().dim("N", "1").input("b", computed("N + N")).error(),
            "b: `=N + N` is no tensor; a number is written without `=`");
  const std::string shapes = CaseBuilder()
                                 .input("a", row({I(1), I(2)}))
                                 .input("b", row({I(1), I(2), I(3)}))
                                 .input("c", computed("a + b"))
                                 .error();
  EXPECT_EQ(shapes,
            "c: `=a + b` cannot be computed: The size of tensor a (2) must match the size of tensor b (3) at "
            "non-singleton dimension 0");
}

TEST(MakeInputs, LeavesResultsOfStepsToTheGuard) {
  CaseBuilder builder;
  Step step;
  step.targets = {"target"};
  step.expr = expr("relu(x)");
  builder.kase.subject.steps = {step};
  builder.requires_(Clauses("x").dtype(DType::float32).shape({"2"}));
  builder.requires_(Clauses("target").dtype(DType::float32));
  const Inputs inputs = *builder.make();
  EXPECT_EQ(inputs.all.size(), 1u);
}

TEST(MakeInputs, KeepsHostInputsOnTheHost) {
  const Inputs inputs =
      *CaseBuilder()
           .requires_(Clauses("x").dtype(DType::float32).shape({"2"}).word(ClauseKind::device, "cpu"))
           .requires_(Clauses("y").dtype(DType::float32).shape({"2"}))
           .make();
  EXPECT_TRUE(inputs.find("x")->on_host);
  EXPECT_FALSE(inputs.find("y")->on_host);
}

TEST(MakeInputs, ViewsTheStorageOfAnother) {
  InputForm view = with_shape(form_of(InputSource::storage), {"2"});
  view.storage = "base";
  view.offset = expr("1");
  view.strides = exprs({"2"});
  CaseBuilder builder;
  builder.input("view", view).input("base", row({I(1), I(2), I(3), I(4)}));
  const Inputs inputs = *builder.make();
  EXPECT_EQ(text_of_input(inputs, "view"), "2 4");
  static_cast<I*>(inputs.find("view")->value.toTensor().mutable_data_ptr())[0] = 7;
  EXPECT_EQ(text_of_input(inputs, "base"), "1 7 3 4");
  EXPECT_EQ(find_damaged_poison(*inputs.find("view")), "");
  EXPECT_EQ(find_damaged_poison(*inputs.find("base")), "");

  builder.kase.inputs[0].form.strides = exprs({"3"});
  EXPECT_EQ(builder.error(),
            "view: shape [2] with strides [3] and offset 1 reaches beyond the storage of `base`, which has "
            "32 bytes");
  builder.kase.inputs[0].form.storage = "bass";
  EXPECT_EQ(builder.error(),
            "view: `storage` must name another input that is a tensor, got \"bass\"; did you mean \"base\"?");
}

TEST(MakeInputs, AViewMayLieInTheGapsOfItsBase) {
  InputForm base = row({I(1), I(2), I(3)});
  base.strides = exprs({"3"});
  InputForm view = with_shape(form_of(InputSource::storage), {"2"});
  view.storage = "base";
  view.offset = expr("1");
  view.strides = exprs({"3"});
  view.set = {{{SetIndex{}}, I(5), {}}, {{SetIndex{false, 1, {}, {}, {}}}, I(6), {}}};
  const Inputs inputs = *CaseBuilder().input("base", base).input("view", view).make();
  const Input& made = *inputs.find("base");
  EXPECT_EQ(text_of_input(inputs, "view"), "5 6");
  EXPECT_EQ(find_damaged_poison(made), "");
  static_cast<I*>(made.value.toTensor().mutable_data_ptr())[2] = 0;
  EXPECT_EQ(find_damaged_poison(made),
            "element 2 of the storage, between the tensor's own, holds 0; it was not to be written");
}

TEST(CopyInputs, KeepsStridesGapsSharingAndGradients) {
  InputForm x = row({0.5, 1.5});
  x.strides = exprs({"2"});
  x.requires_grad = true;
  InputForm view = with_shape(form_of(InputSource::storage), {"1"});
  view.storage = "base";
  view.offset = expr("1");
  const Inputs inputs =
      *CaseBuilder().input("x", x).input("base", row({I(1), I(2)})).input("view", view).make();
  const Inputs copies = copy_inputs(inputs, at::kCPU);
  const at::Tensor& copied = copies.find("x")->value.toTensor();
  EXPECT_FALSE(copied.storage().is_alias_of(inputs.find("x")->value.toTensor().storage()));
  EXPECT_TRUE(copied.requires_grad());
  EXPECT_TRUE(copied.is_leaf());
  EXPECT_EQ(copied.strides(), c10::IntArrayRef({2}));
  EXPECT_EQ(text_of(copied), "0.5 1.5");
  EXPECT_EQ(find_damaged_poison(*copies.find("x")), "");
  static_cast<float*>(copied.mutable_data_ptr())[1] = 0;
  EXPECT_NE(find_damaged_poison(*copies.find("x")), "");
  EXPECT_EQ(find_damaged_poison(*inputs.find("x")), "");
  EXPECT_TRUE(copies.find("view")->value.toTensor().storage().is_alias_of(
      copies.find("base")->value.toTensor().storage()));
  EXPECT_EQ(text_of_input(copies, "view"), "2");
}

TEST(CopyInputs, KeepsLazyConjugation) {
  Inputs inputs;
  const at::Tensor conjugated = at::Tensor(at::detail::make_tensor<c10::TensorImpl>(
      c10::Storage(made(with_dtype(row({I(1)}), DType::complex64), Context().form).storage()),
      c10::DispatchKeySet(c10::DispatchKey::CPU), caffe2::TypeMeta::Make<c10::complex<float>>()));
  conjugated._set_conj(true);
  inputs.all.push_back({"z", conjugated, false, {}, {}});
  EXPECT_TRUE(copy_inputs(inputs, at::kCPU).all[0].value.toTensor().is_conj());
  EXPECT_FALSE(dense_inputs(inputs, false).all[0].value.toTensor().is_conj());
}

TEST(DenseInputs, AreRowMajorAndWiderWhenAsked) {
  InputForm x = with_dtype(row({0.5, 1.5}), DType::bfloat16);
  x.strides = exprs({"2"});
  x.requires_grad = true;
  const Inputs inputs = *CaseBuilder().input("x", x).input("ids", row({I(3)})).make();
  const Inputs dense = dense_inputs(inputs, false);
  EXPECT_TRUE(dense.find("x")->value.toTensor().is_contiguous());
  EXPECT_EQ(dense.find("x")->value.toTensor().scalar_type(), at::kBFloat16);
  EXPECT_TRUE(dense.find("x")->value.toTensor().requires_grad());
  const Inputs wide = dense_inputs(inputs, true);
  EXPECT_EQ(wide.find("x")->value.toTensor().scalar_type(), at::kDouble);
  EXPECT_EQ(text_of_input(wide, "x"), "0.5 1.5");
  EXPECT_EQ(wide.find("ids")->value.toTensor().scalar_type(), at::kLong);
}

TEST(DenseTensor, ReadsTransposedAndExpandedTensors) {
  const at::Tensor matrix = made(values({2, 3}, {I(1), I(2), I(3), I(4), I(5), I(6)}), Context().form);
  EXPECT_EQ(text_of(dense_tensor(matrix.t(), false)), "1 4 2 5 3 6");
  EXPECT_EQ(text_of(dense_tensor(matrix.select(0, 1).expand({2, 3}), false)), "4 5 6 4 5 6");
}

}  // namespace
}  // namespace relapse
