#include "io/support.h"
