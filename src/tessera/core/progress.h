// Progress and cancellation: how long work tells its caller where it is and learns that it should stop.
#pragma once

#include <functional>
#include <stop_token>
#include <string_view>

namespace tessera {

/// Handed to long operations by reference. The default one listens to nobody and never stops.
///
/// `report` is called from the thread that called the operation, never concurrently, with the name of
/// the stage and the fraction of it that is done.
struct Monitor {
  std::function<void(std::string_view stage, double fraction)> report;
  std::stop_token stop;

  /// Reports and then throws Error(cancelled) if a stop was asked for. Call between units of work
  /// whose results are discarded with the exception.
  void update(std::string_view stage, double fraction) const;

  [[nodiscard]] bool is_stopped() const { return stop.stop_requested(); }
};

}  // namespace tessera
