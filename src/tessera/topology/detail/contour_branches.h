// Branches of contour trees, and what is counted once labels are known.
#pragma once

#include <tessera/core/progress.h>
#include <tessera/exec/exec.h>
#include <tessera/topology/contour_tree.h>

namespace tessera::detail {

/// Sets the branches of a tree whose nodes and arcs are known.
void add_branches(ContourTree& tree, const Monitor& monitor);

/// Gives vertices of nodes the labels that ContourTree promises.
void label_nodes(ContourTree& tree);

/// Counts the labels of each arc.
void count_sizes(ContourTree& tree, const Exec& exec);

}  // namespace tessera::detail
