#include <tessera/io/detail/gunzip.h>

#include <algorithm>

#include <tessera/io/detail/inflater.h>

namespace tessera::detail::io {
namespace {

constexpr std::size_t piece_bytes = std::size_t{1} << 16;
constexpr int most_rewinds = 16;

}  // namespace

struct Gunzip::State {
  State(int descriptor, const std::string& name) : packed(name, nullptr, Packing::none, descriptor) {}

  Input packed;
  Inflater inflater{packed};
  std::uint64_t place = 0;  // in what is unpacked
  int rewinds = 0;
};

Gunzip::Gunzip(int descriptor, const std::string& name) : state_(std::make_unique<State>(descriptor, name)) {}

Gunzip::~Gunzip() = default;

std::uint64_t Gunzip::measure(std::uint64_t packed, const std::function<void()>& on_piece) {
  const auto piece = std::make_unique_for_overwrite<char[]>(piece_bytes);
  while (unpack(piece.get(), piece_bytes) > 0) {
    on_piece();
    check_expansion(state_->packed, packed, state_->place);
  }
  const std::uint64_t size = state_->place;
  rewind();
  return size;
}

std::size_t Gunzip::read(void* to, std::size_t bytes, std::uint64_t place) {
  if (place < state_->place) {
    if (++state_->rewinds > most_rewinds)
      state_->packed.refuse("cannot be read in its order; unpack it first");
    rewind();
  }
  while (state_->place < place) {
    const std::uint64_t skipped = std::min<std::uint64_t>(place - state_->place, bytes);
    if (unpack(to, static_cast<std::size_t>(skipped)) == 0) return 0;
  }
  return unpack(to, bytes);
}

void Gunzip::rewind() {
  state_->packed.seek(0);
  state_->inflater.restart();
  state_->place = 0;
}

/// The next bytes, up to `bytes` of them; 0 at the end of the last member.
std::size_t Gunzip::unpack(void* to, std::size_t bytes) {
  std::size_t done = 0;
  while (done == 0 && !(state_->packed.at_end() && state_->inflater.is_between_members()))
    done = state_->inflater.unpack(to, bytes);
  state_->place += done;
  return done;
}

}  // namespace tessera::detail::io
