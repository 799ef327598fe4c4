// Pictures of merge trees and contour trees.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <tessera/topology/contour_tree.h>
#include <tessera/topology/merge_tree.h>

namespace tessera::cli {

/// The branches of a tree: each is a line from the value of its leaf to that of its end, where it hangs on
/// another one.
struct TreePicture {
  struct Branch {
    double leaf = 0;
    double end = 0;
    double persistence = 0;
    std::uint32_t parent = MergeTree::none;  ///< none: the last one of a component
    bool is_from_below = true;               ///< its leaf is a minimum
  };
  std::vector<Branch> branches;
  std::string kind;  ///< "Join tree"
  std::string field;
  std::string file;
  double threshold = 0;
};

[[nodiscard]] std::vector<TreePicture::Branch> list_branches(const MergeTree& tree);
[[nodiscard]] std::vector<TreePicture::Branch> list_branches(const ContourTree& tree);

/// Values go up. Of many branches the most persistent are drawn.
[[nodiscard]] std::string make_svg(const TreePicture& picture);

}  // namespace tessera::cli
