#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <harness/support/text.hpp>

#include "../stored/stored_files.hpp"
#include "builders.hpp"

namespace relapse {
namespace {

using namespace test;

class FileForm : public testing::Test {
 protected:
  FileForm() {
    folder_ = std::filesystem::temp_directory_path() /
              ("relapse-files-" + std::string(testing::UnitTest::GetInstance()->current_test_info()->name()));
    std::filesystem::create_directories(folder_);
  }
  ~FileForm() override { std::filesystem::remove_all(folder_); }
  InputForm file(const std::string& name, const std::string& bytes) {
    std::ofstream(folder_ / name, std::ios::binary) << bytes;
    InputForm form = form_of(InputSource::file);
    form.file = name;
    return form;
  }
  std::filesystem::path folder_;
};

TEST_F(FileForm, ReadsTheNamedTensor) {
  Context context;
  context.form.folder = folder_.string();
  InputForm form = file(
      "bad.safetensors",
      safetensors(
          R"({"x":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},"y":{"dtype":"U8","shape":[1],"data_offsets":[8,9]}})",
          floats({0.5, -1}) + "\x07"));
  EXPECT_EQ(error_of(form, context.form),
            "x: \"bad.safetensors\" holds 2 tensors; say which with `tensor`: x or y");
  form.tensor = "x";
  EXPECT_EQ(text_of(made(form, context.form)), "0.5 -1");
  form.tensor = "z";
  EXPECT_EQ(error_of(form, context.form), "x: \"bad.safetensors\" holds no tensor \"z\"");
  form.tensor = "y";
  EXPECT_EQ(text_of(made(with_dtype(form, DType::float16), context.form)), "7");
  form.tensor = "x";
  EXPECT_EQ(
      error_of(with_dtype(form, DType::int64), context.form),
      "x: \"bad.safetensors\" holds float32; element [0] = 0.5 does not fit int64; give the form a dtype");
  EXPECT_EQ(error_of(with_shape(form, {"3"}), context.form),
            "x: \"bad.safetensors\" holds shape [2], but `shape` says [3]");
}

TEST_F(FileForm, ChecksTheHash) {
  Context context;
  context.form.folder = folder_.string();
  const std::string bytes = npy("{'descr': '<f4', 'fortran_order': False, 'shape': (2,)}", floats({1, 2}));
  InputForm form = file("bad.npy", bytes);
  form.sha256 = sha256_hex(bytes);
  EXPECT_EQ(text_of(made(form, context.form)), "1 2");
  form.sha256 = std::string(64, '0');
  EXPECT_EQ(error_of(form, context.form), "x: \"bad.npy\" is not the file of this case: its sha256 is " +
                                              sha256_hex(bytes) + ", expected " + std::string(64, '0'));
}

TEST_F(FileForm, TurnsColumnMajorArrays) {
  Context context;
  context.form.folder = folder_.string();
  const InputForm form = file(
      "f.npy", npy("{'descr': '<f4', 'fortran_order': True, 'shape': (2, 3)}", floats({1, 4, 2, 5, 3, 6})));
  const at::Tensor tensor = made(form, context.form);
  EXPECT_EQ(text_of(tensor), "1 2 3 4 5 6");
  EXPECT_TRUE(tensor.is_contiguous());
}

TEST_F(FileForm, RefusesOtherKindsOfFiles) {
  Context context;
  context.form.folder = folder_.string();
  EXPECT_EQ(error_of(file("x.pt", "PK"), context.form),
            "x: \"x.pt\" is neither .safetensors nor .npy; save the tensor as one of these");
}

}  // namespace
}  // namespace relapse
