#include <algorithm>
#include <cmath>
#include <harness/contract/mismatch.hpp>

namespace relapse {

MismatchCounter::MismatchCounter(std::vector<std::int64_t> shape) {
  if (!shape.empty()) width_ = shape.back();
  for (std::size_t i = 0; i + 1 < shape.size(); ++i) height_ *= shape[i];
  constexpr std::int64_t kCells = MismatchPicture::kCells;
  picture_.rows = static_cast<int>(std::clamp<std::int64_t>(height_, 1, kCells));
  picture_.columns = static_cast<int>(std::clamp<std::int64_t>(width_, 1, kCells));
  picture_.shape = std::move(shape);
}

void MismatchCounter::add(std::int64_t position, double distance) {
  if (decades_.empty()) {
    decades_.resize(kHighest - kLowest + 1);
    picture_.counts.resize(static_cast<std::size_t>(picture_.rows) *
                           static_cast<std::size_t>(picture_.columns));
  }
  // In doubles: a product of two extents may pass 64 bits, and a cell is no place for the last bit.
  const auto cell_of = [](std::int64_t index, std::int64_t extent, int cells) {
    const auto cell =
        static_cast<std::int64_t>(static_cast<double>(index) * cells / static_cast<double>(extent));
    return static_cast<std::size_t>(std::min<std::int64_t>(cell, cells - 1));
  };
  const std::size_t row = cell_of(position / width_, height_, picture_.rows);
  const std::size_t column = cell_of(position % width_, width_, picture_.columns);
  ++picture_.counts[row * static_cast<std::size_t>(picture_.columns) + column];
  if (!std::isfinite(distance) || distance <= 0) {
    ++picture_.unmeasured;
    return;
  }
  const int decade = static_cast<int>(std::floor(std::log10(distance)));
  ++decades_[static_cast<std::size_t>(std::clamp(decade, kLowest, kHighest) - kLowest)];
}

MismatchPicture MismatchCounter::picture() const {
  MismatchPicture picture = picture_;
  const auto is_used = [](std::int64_t count) { return count > 0; };
  const auto first = std::find_if(decades_.begin(), decades_.end(), is_used);
  if (first == decades_.end()) return picture;
  const auto last = std::find_if(decades_.rbegin(), decades_.rend(), is_used).base();
  // The largest distances keep a bin of their own.
  const auto begin = std::max(first, last - MismatchPicture::kBins);
  picture.errors.assign(begin, last);
  for (auto smaller = first; smaller < begin; ++smaller) picture.errors.front() += *smaller;
  picture.decade = kLowest + static_cast<int>(begin - decades_.begin());
  return picture;
}

}  // namespace relapse
