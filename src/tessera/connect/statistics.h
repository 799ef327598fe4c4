// What a store of tiles and the producers that fill it did for one relation.
#pragma once

#include <cstdint>
#include <vector>

#include <tessera/core/memory.h>

namespace tessera {

/// What a store did for one relation so far.
struct StoreStatistics {
  std::uint64_t hits = 0;      ///< rows asked for that were there
  std::uint64_t misses = 0;    ///< rows asked for that were not
  std::uint64_t waits = 0;     ///< of those, how many waited for another thread to compute them
  std::uint64_t produced = 0;  ///< tiles computed
  std::uint64_t ahead = 0;     ///< of those, by helpers before anybody asked
  std::uint64_t wasted = 0;    ///< of those, evicted without having been read
  std::uint64_t evicted = 0;
  Bytes bytes = 0;  ///< held now
};

/// Where the time of consumers went that waited for a device, in seconds (GALE's tables 5 to 7): of one of
/// them or of all.
struct DeviceStatistics {
  std::uint64_t requests = 0;  ///< tiles that were asked for and waited for
  double waiting = 0;          ///< in all: the sum of the next seven
  double pushing = 0;          ///< into the queue
  double queued = 0;           ///< until a leader took it
  double preparing = 0;        ///< the batch, until the device began
  double computing = 0;        ///< kernels and the transfer back
  double integrating = 0;      ///< until the consumer had it
  double sharing = 0;          ///< for tiles under way already, ahead of need or for somebody else
  double leading = 0;          ///< for tiles ahead of need, which it had made

  DeviceStatistics& operator+=(const DeviceStatistics& other) {
    requests += other.requests;
    waiting += other.waiting;
    pushing += other.pushing;
    queued += other.queued;
    preparing += other.preparing;
    computing += other.computing;
    integrating += other.integrating;
    sharing += other.sharing;
    leading += other.leading;
    return *this;
  }
};

/// What a device did for a relation.
struct DeviceReport {
  std::uint64_t batches = 0;
  std::uint64_t tiles = 0;                  ///< made, those ahead of need too
  DeviceStatistics all;                     ///< of all consumers
  std::vector<DeviceStatistics> consumers;  ///< of each thread that ever waited
};

}  // namespace tessera
