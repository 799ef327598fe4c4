#include <gtest/gtest.h>
#include <tessera/surface/simplify.h>
