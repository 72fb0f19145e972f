#pragma once

// Files of tensors, made in memory, byte by byte.

#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <string>

namespace relapse::test {

inline std::string safetensors(const std::string& header, const std::string& data) {
  std::string file(8, '\0');
  const std::uint64_t length = header.size();
  std::memcpy(file.data(), &length, sizeof length);
  return file + header + data;
}

inline std::string floats(std::initializer_list<float> values) {
  std::string bytes;
  for (const float value : values) bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
  return bytes;
}

inline std::string npy(const std::string& dict, const std::string& data, char major = 1) {
  std::string file = std::string("\x93NUMPY") + major + '\0';
  file += static_cast<char>(dict.size() & 255);
  file += static_cast<char>(dict.size() >> 8);
  if (major > 1) file += std::string(2, '\0');
  return file + dict + data;
}

}  // namespace relapse::test
