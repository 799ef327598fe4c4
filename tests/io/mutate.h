// Damage that knows how files are built: bytes, numbers and words, lines and sections, XML elements and
// attributes, and packed data, which is unpacked, damaged and packed again.
#pragma once

#include <string>

#include <tessera/core/random.h>

namespace tessera::testing {

/// Does one to four such things to the file. The same numbers do the same damage.
void mutate(std::string& bytes, SplitMix64& random);

}  // namespace tessera::testing
