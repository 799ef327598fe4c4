// The few macros of Tessera: marks for code that also runs on a GPU, and contracts.
#pragma once

#if defined(__CUDACC__)
#define TS_HD __host__ __device__
#define TS_LAMBDA [=] __host__ __device__
#else
#define TS_HD
#define TS_LAMBDA [=]
#endif

namespace tessera {

/// Ends the program with the broken contract and its place on stderr. A broken contract is a bug in
/// the calling code, so it is never an exception and never depends on the build type.
[[noreturn]] void contract_violation(const char* condition, const char* file, int line);

}  // namespace tessera

/// Checks a contract at a public entry, in every build type.
#define TS_EXPECTS(condition) \
  ((condition) ? static_cast<void>(0) : ::tessera::contract_violation(#condition, __FILE__, __LINE__))
