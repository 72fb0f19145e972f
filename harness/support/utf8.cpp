#include <fmt/format.h>

#include <harness/support/text.hpp>

namespace relapse {

namespace {

bool is_continuation(unsigned char c) {
  return (c & 0xC0) == 0x80;
}

/// Length in bytes of the valid UTF-8 sequence at `at` (no overlong forms, no surrogates), or 0.
std::size_t sequence_length(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) {
    return static_cast<unsigned char>(at + i < text.size() ? text[at + i] : 0);
  };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return 1;
  std::size_t length = 0;
  unsigned char lowest = 0x80, highest = 0xBF;  // of the second byte
  if (lead >= 0xC2 && lead <= 0xDF) {
    length = 2;
  } else if (lead >= 0xE0 && lead <= 0xEF) {
    length = 3;
    if (lead == 0xE0) lowest = 0xA0;
    if (lead == 0xED) highest = 0x9F;
  } else if (lead >= 0xF0 && lead <= 0xF4) {
    length = 4;
    if (lead == 0xF0) lowest = 0x90;
    if (lead == 0xF4) highest = 0x8F;
  } else {
    return 0;
  }
  if (byte(1) < lowest || byte(1) > highest) return 0;
  for (std::size_t i = 2; i < length; ++i) {
    if (!is_continuation(byte(i))) return 0;
  }
  return length;
}

}  // namespace

int count_code_points(std::string_view text) {
  int count = 0;
  for (std::size_t at = 0; at < text.size(); ++count) {
    const std::size_t length = sequence_length(text, at);
    at += length == 0 ? 1 : length;
  }
  return count;
}

std::string to_valid_utf8(std::string_view bytes) {
  std::string text;
  text.reserve(bytes.size());
  for (std::size_t at = 0; at < bytes.size();) {
    const std::size_t length = sequence_length(bytes, at);
    if (length == 0) {
      text += "\xEF\xBF\xBD";
      ++at;
    } else {
      text += bytes.substr(at, length);
      at += length;
    }
  }
  return text;
}

std::string quoted(std::string_view text, int limit) {
  std::string out = "\"";
  int count = 0;
  for (std::size_t at = 0; at < text.size(); ++count) {
    if (count == limit) {
      out += "...";
      break;
    }
    const std::size_t length = sequence_length(text, at);
    const auto c = static_cast<unsigned char>(text[at]);
    if (length == 0) {
      out += fmt::format("\\x{:02x}", c);
      ++at;
      continue;
    }
    if (c == '\n') {
      out += "\\n";
    } else if (c == '\t') {
      out += "\\t";
    } else if (c == '"' || c == '\\') {
      out += '\\';
      out += text[at];
    } else if (c < 0x20 || c == 0x7F) {
      out += fmt::format("\\x{:02x}", c);
    } else {
      out += text.substr(at, length);
    }
    at += length;
  }
  return out + "\"";
}

}  // namespace relapse
