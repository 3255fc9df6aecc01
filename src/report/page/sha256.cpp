// SHA-256 in the notation of FIPS 180-4: a .. h the working variables, W the message schedule, K the round
// constants. Section 6.2.2 has the steps.
#include "report/page/sha256.hpp"

#include <bit>
#include <cstddef>

namespace giga::page {
namespace {

using Word = std::uint32_t;

// The first 32 bits of the fractional parts of the cube roots of the first 64 primes.
constexpr std::array<Word, 64> kRound = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

using State = std::array<Word, 8>;

Word word_at(const char* bytes) {
  Word word = 0;
  for (int i = 0; i < 4; ++i) word = (word << 8) | static_cast<unsigned char>(bytes[i]);
  return word;
}

std::array<Word, 64> schedule(const char* block) {
  std::array<Word, 64> w{};
  for (std::size_t t = 0; t < 16; ++t) w[t] = word_at(block + 4 * t);
  // W_t = sigma1(W_(t-2)) + W_(t-7) + sigma0(W_(t-15)) + W_(t-16), in words modulo 2^32.
  for (std::size_t t = 16; t < 64; ++t) {
    const Word s0 = std::rotr(w[t - 15], 7) ^ std::rotr(w[t - 15], 18) ^ (w[t - 15] >> 3);
    const Word s1 = std::rotr(w[t - 2], 17) ^ std::rotr(w[t - 2], 19) ^ (w[t - 2] >> 10);
    w[t] = w[t - 16] + s0 + w[t - 7] + s1;
  }
  return w;
}

void add_block(State& state, const char* block) {
  const auto w = schedule(block);
  auto [a, b, c, d, e, f, g, h] = state;
  // first = T1 = h + Sigma1(e) + Ch(e, f, g) + K_t + W_t, second = T2 = Sigma0(a) + Maj(a, b, c).
  for (std::size_t t = 0; t < 64; ++t) {
    const Word s1 = std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25);
    const Word first = h + s1 + ((e & f) ^ (~e & g)) + kRound[t] + w[t];
    const Word s0 = std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22);
    const Word second = s0 + ((a & b) ^ (a & c) ^ (b & c));
    h = g;
    g = f;
    f = e;
    e = d + first;
    d = c;
    c = b;
    b = a;
    a = first + second;
  }
  const State added = {a, b, c, d, e, f, g, h};
  for (std::size_t i = 0; i < 8; ++i) state[i] += added[i];
}

// What is left after whole blocks: the bit 1, zeros, and the length in bits, to whole blocks.
std::string padded_end(std::string_view rest, std::uint64_t total_bytes) {
  std::string end(rest);
  end += '\x80';
  while (end.size() % 64 != 56) end += '\0';
  for (int shift = 56; shift >= 0; shift -= 8) end += static_cast<char>((total_bytes * 8) >> shift & 0xFF);
  return end;
}

}  // namespace

Digest sha256(std::string_view bytes) {
  State state = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  // Whole blocks from the text itself, then one or two padded ones. The first state: square roots of
  // the first 8 primes.
  const std::size_t whole = bytes.size() / 64 * 64;
  for (std::size_t at = 0; at < whole; at += 64) add_block(state, bytes.data() + at);
  const std::string end = padded_end(bytes.substr(whole), bytes.size());
  for (std::size_t at = 0; at < end.size(); at += 64) add_block(state, end.data() + at);

  Digest digest{};
  for (std::size_t i = 0; i < digest.size(); ++i)
    digest[i] = static_cast<std::uint8_t>(state[i / 4] >> (24 - 8 * (i % 4)) & 0xFF);
  return digest;
}

std::string base64(std::span<const std::uint8_t> bytes) {
  // Three bytes are four letters of six bits each; a last group of one or two bytes is filled up with '='.
  constexpr std::string_view kLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    const std::size_t count = std::min<std::size_t>(3, bytes.size() - at);
    Word group = 0;
    for (std::size_t i = 0; i < 3; ++i) group = (group << 8) | (i < count ? bytes[at + i] : 0U);
    for (std::size_t i = 0; i < 4; ++i) text += i <= count ? kLetters[group >> (18 - 6 * i) & 63] : '=';
  }
  return text;
}

std::string csp_hash(std::string_view text) {
  std::string source = "'sha256-";
  source += base64(sha256(text));
  source += '\'';
  return source;
}

}  // namespace giga::page
