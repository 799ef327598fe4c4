// A series of frames: a .pvd file, which ParaView opens, with the times and names of .vtp files beside it.
//
// Each frame is written completely or not at all, and the list after it: a run that is killed leaves the
// series of the frames it has finished.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace tessera::cli {

class FrameSeries {
 public:
  struct Frame {
    double time = 0;
    std::string file;  ///< its name, in the folder of the series
  };

  explicit FrameSeries(std::filesystem::path file) : file_(std::move(file)) {}

  /// The frames that a file lists. Error(bad_file) if it is not a series as write() makes it,
  /// Error(not_found) if a frame is missing.
  [[nodiscard]] static FrameSeries read(const std::filesystem::path& file);

  [[nodiscard]] const std::filesystem::path& file() const { return file_; }
  [[nodiscard]] const std::vector<Frame>& frames() const { return frames_; }
  /// Where frame `number` is or will be: series_0012.vtp for series.pvd.
  [[nodiscard]] std::filesystem::path frame_file(std::size_t number) const;
  /// Writes the list without frames: those of an earlier run do not belong to it.
  void begin() const;
  /// Appends the next frame, which has been written, and writes the list.
  void add(double time);

 private:
  [[nodiscard]] std::string text() const;

  std::filesystem::path file_;
  std::vector<Frame> frames_;
};

}  // namespace tessera::cli
