// Gunzip: the bytes of a gzip file (RFC 1952) at any place, unpacked as they are asked for. Going back starts
// again from the beginning, so readers go forwards.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace tessera::detail::io {

class Gunzip {
 public:
  /// The descriptor stays the caller's. Errors name the file.
  Gunzip(int descriptor, const std::string& name);
  Gunzip(const Gunzip&) = delete;
  Gunzip& operator=(const Gunzip&) = delete;
  ~Gunzip();

  /// Unpacks all of it once, a piece at a time, and returns its size. Error(bad_file) if it is damaged,
  /// Error(unsupported) if it is suspiciously large for its `packed` bytes. `on_piece` may throw.
  [[nodiscard]] std::uint64_t measure(std::uint64_t packed, const std::function<void()>& on_piece);
  /// Up to `bytes` bytes from `place` on, at least one unless it ends there.
  [[nodiscard]] std::size_t read(void* to, std::size_t bytes, std::uint64_t place);

 private:
  struct State;
  [[nodiscard]] std::size_t unpack(void* to, std::size_t bytes);
  void rewind();

  std::unique_ptr<State> state_;
};

}  // namespace tessera::detail::io
