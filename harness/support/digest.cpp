#include <sha256.h>
#include <sys/types.h>

#include <harness/support/text.hpp>

namespace relapse {

std::uint64_t fnv1a64(std::string_view bytes, std::uint64_t start) {
  constexpr std::uint64_t kPrime = 1099511628211ull;
  std::uint64_t hash = start;
  for (const char c : bytes) hash = (hash ^ static_cast<unsigned char>(c)) * kPrime;
  return hash;
}

std::string sha256_hex(std::string_view bytes) {
  SHA256_CTX context;
  SHA256_Init(&context);
  SHA256_Update(&context, reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
  std::uint8_t digest[SHA256_DIGEST_LENGTH];
  SHA256_Final(digest, &context);
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (const std::uint8_t byte : digest) {
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text;
}

}  // namespace relapse
