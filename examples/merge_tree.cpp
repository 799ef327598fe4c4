// Finds the most persistent valleys of a field and how its contours meet and split.
#include <iostream>

#include <tessera/mesh/make.h>
#include <tessera/topology/contour_tree.h>
#include <tessera/topology/merge_tree.h>

namespace ts = tessera;

int main() {
  ts::Grid grid = ts::make_lattice(48, 48, 48);
  grid.point_data.add(ts::make_mri_field(grid));

  const ts::MergeTree valleys = ts::prune(ts::merge_tree(grid, "mri"), 2.5);
  for (const ts::MergeTree::Branch& branch : valleys.branches) {
    const ts::MergeTree::Node& leaf = valleys.nodes[branch.leaf];
    std::cout << "valley at point " << leaf.vertex.index() << ", " << branch.persistence() << " deep\n";
  }

  const ts::ContourTree contours = ts::prune(ts::contour_tree(grid, "mri"), 2.5);
  for (const ts::ContourTree::Arc& arc : contours.arcs) {
    std::cout << "contours from " << contours.nodes[arc.lower].value << " to "
              << contours.nodes[arc.upper].value << " sweep over " << arc.size << " points\n";
  }
  std::cout << valleys.branches.size() << " valleys, " << contours.arcs.size() << " families of contours\n";
}
