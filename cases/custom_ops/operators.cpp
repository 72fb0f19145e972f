// The operators, by LibTorch's stable C interface only (torch/csrc/stable, TORCH_TARGET_VERSION 2.11): the
// same library works with every later LibTorch.

#include <torch/csrc/stable/accelerator.h>
#include <torch/csrc/stable/library.h>
#include <torch/csrc/stable/ops.h>
#include <torch/csrc/stable/tensor.h>
#include <torch/headeronly/util/Exception.h>

#include "kernels.hpp"

#ifdef CUSTOM_OPS_CUDA
#include <dlfcn.h>
#endif

namespace custom_ops {

namespace {

using torch::headeronly::ScalarType;
using torch::stable::Tensor;

#ifdef CUSTOM_OPS_CUDA
/// LibTorch's stream of this device. The function is libtorch_cuda's, which a process without a GPU does not
/// load, so it is looked up and not linked.
void* current_stream(std::int32_t device) {
  using Function = AOTITorchError (*)(std::int32_t, void**);
  static const auto function = [] {
    void* library = ::dlopen("libtorch_cuda.so", RTLD_LAZY | RTLD_NOLOAD);
    STD_TORCH_CHECK(library != nullptr, "custom_ops: libtorch_cuda.so is not loaded");
    void* symbol = ::dlsym(library, "aoti_torch_get_current_cuda_stream");
    STD_TORCH_CHECK(symbol != nullptr,
                    "custom_ops: libtorch_cuda.so has no aoti_torch_get_current_cuda_stream");
    return reinterpret_cast<Function>(symbol);
  }();
  void* stream = nullptr;
  STD_TORCH_CHECK(function(device, &stream) == AOTI_TORCH_SUCCESS, "custom_ops: no current stream on device ",
                  device);
  return stream;
}

void check_launch(const char* error) {
  STD_TORCH_CHECK(error == nullptr, "CUDA error: ", error);
}
#endif

struct BoxArguments {
  Tensor features;
  Tensor boxes;
  Tensor means;

  Features feature_maps() const {
    return {features.const_data_ptr<float>(), features.size(0), features.size(1), features.size(2),
            features.size(3)};
  }
  Boxes rows() const { return {boxes.const_data_ptr<float>(), boxes.size(0)}; }
};

BoxArguments box_arguments(const Tensor& features, const Tensor& boxes) {
  STD_TORCH_CHECK(features.dim() == 4, "box_means: expected features of four dimensions, got ",
                  features.dim());
  STD_TORCH_CHECK(boxes.dim() == 2 && boxes.size(1) == 5, "box_means: expected boxes of shape [boxes, 5]");
  STD_TORCH_CHECK(features.scalar_type() == ScalarType::Float && boxes.scalar_type() == ScalarType::Float,
                  "box_means: expected features and boxes of dtype float32");
  STD_TORCH_CHECK(features.get_device() == boxes.get_device() && features.is_cuda() == boxes.is_cuda(),
                  "box_means: expected features and boxes on the same device");
  return {torch::stable::contiguous(features), torch::stable::contiguous(boxes),
          torch::stable::new_empty(features, {boxes.size(0), features.size(1)})};
}

/// The fix: a box on an image that is not there never reaches a kernel.
void check_images(const Tensor& features, const Tensor& boxes) {
  const Tensor on_host = torch::stable::contiguous(
      torch::stable::to(boxes, torch::stable::Device(torch::headeronly::DeviceType::CPU)));
  const auto* rows = on_host.const_data_ptr<float>();
  const std::int64_t images = features.size(0);
  for (std::int64_t i = 0; i < on_host.size(0); ++i) {
    const float image = rows[i * 5];
    const bool there = image >= 0.0F && image < static_cast<float>(images) &&
                       image == static_cast<float>(static_cast<std::int64_t>(image));
    STD_TORCH_CHECK(there, "box_means: box ", i, " is on image ", image, ", but there are ", images,
                    " images");
  }
}

Tensor box_means_unchecked(const Tensor& features, const Tensor& boxes) {
  const BoxArguments arguments = box_arguments(features, boxes);
  box_means_cpu(arguments.feature_maps(), arguments.rows(), arguments.means.mutable_data_ptr<float>());
  return arguments.means;
}

Tensor box_means(const Tensor& features, const Tensor& boxes) {
  box_arguments(features, boxes);
  check_images(features, boxes);
  return box_means_unchecked(features, boxes);
}

struct PageArguments {
  Tensor cache;
  Tensor pages;
  Tensor result;

  Pages as_bytes() const {
    const auto element = static_cast<std::int64_t>(cache.element_size());
    return {static_cast<const char*>(cache.const_data_ptr()), cache.size(1) * element, element,
            pages.const_data_ptr<std::int64_t>(), pages.size(0)};
  }
  char* out() const { return static_cast<char*>(result.mutable_data_ptr()); }
};

PageArguments page_arguments(const Tensor& cache, const Tensor& pages) {
  STD_TORCH_CHECK(cache.dim() == 2, "gather_pages: expected a cache of shape [pages, elements], got ",
                  cache.dim(), " dimensions");
  STD_TORCH_CHECK(pages.dim() == 1 && pages.scalar_type() == ScalarType::Long,
                  "gather_pages: expected pages of one dimension and dtype int64");
  STD_TORCH_CHECK(cache.get_device() == pages.get_device() && cache.is_cuda() == pages.is_cuda(),
                  "gather_pages: expected cache and pages on the same device");
  return {torch::stable::contiguous(cache), torch::stable::contiguous(pages),
          torch::stable::new_empty(cache, {pages.size(0), cache.size(1)})};
}

Tensor gather_pages(const Tensor& cache, const Tensor& pages) {
  const PageArguments arguments = page_arguments(cache, pages);
  gather_pages_cpu(arguments.as_bytes(), arguments.out());
  return arguments.result;
}

Tensor gather_pages_narrow(const Tensor& cache, const Tensor& pages) {
  const PageArguments arguments = page_arguments(cache, pages);
  gather_pages_narrow_cpu(arguments.as_bytes(), arguments.out());
  return arguments.result;
}

#ifdef CUSTOM_OPS_CUDA
Tensor box_means_unchecked_on_gpu(const Tensor& features, const Tensor& boxes) {
  const torch::stable::accelerator::DeviceGuard on(features.get_device());
  const BoxArguments arguments = box_arguments(features, boxes);
  check_launch(box_means_cuda(arguments.feature_maps(), arguments.rows(),
                              arguments.means.mutable_data_ptr<float>(),
                              current_stream(features.get_device())));
  return arguments.means;
}

Tensor box_means_on_gpu(const Tensor& features, const Tensor& boxes) {
  box_arguments(features, boxes);
  check_images(features, boxes);
  return box_means_unchecked_on_gpu(features, boxes);
}

Tensor gather_pages_on_gpu(const Tensor& cache, const Tensor& pages) {
  const torch::stable::accelerator::DeviceGuard on(cache.get_device());
  const PageArguments arguments = page_arguments(cache, pages);
  check_launch(gather_pages_cuda(arguments.as_bytes(), arguments.out(), current_stream(cache.get_device())));
  return arguments.result;
}

Tensor gather_pages_narrow_on_gpu(const Tensor& cache, const Tensor& pages) {
  const torch::stable::accelerator::DeviceGuard on(cache.get_device());
  const PageArguments arguments = page_arguments(cache, pages);
  check_launch(
      gather_pages_narrow_cuda(arguments.as_bytes(), arguments.out(), current_stream(cache.get_device())));
  return arguments.result;
}
#endif

}  // namespace

}  // namespace custom_ops

STABLE_TORCH_LIBRARY(custom_ops, m) {
  m.def("box_means(Tensor features, Tensor boxes) -> Tensor");
  m.def("box_means_unchecked(Tensor features, Tensor boxes) -> Tensor");
  m.def("gather_pages(Tensor cache, Tensor pages) -> Tensor");
  m.def("gather_pages_narrow(Tensor cache, Tensor pages) -> Tensor");
}

STABLE_TORCH_LIBRARY_IMPL(custom_ops, CPU, m) {
  m.impl("box_means", TORCH_BOX(&custom_ops::box_means));
  m.impl("box_means_unchecked", TORCH_BOX(&custom_ops::box_means_unchecked));
  m.impl("gather_pages", TORCH_BOX(&custom_ops::gather_pages));
  m.impl("gather_pages_narrow", TORCH_BOX(&custom_ops::gather_pages_narrow));
}

#ifdef CUSTOM_OPS_CUDA
STABLE_TORCH_LIBRARY_IMPL(custom_ops, CUDA, m) {
  m.impl("box_means", TORCH_BOX(&custom_ops::box_means_on_gpu));
  m.impl("box_means_unchecked", TORCH_BOX(&custom_ops::box_means_unchecked_on_gpu));
  m.impl("gather_pages", TORCH_BOX(&custom_ops::gather_pages_on_gpu));
  m.impl("gather_pages_narrow", TORCH_BOX(&custom_ops::gather_pages_narrow_on_gpu));
}
#endif
