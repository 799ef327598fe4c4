// Verbs that edit a surface: what they share from the input to the output.
//
//   return edit_surface(session, options,
//                       {.what = "edges of triangles can be flipped",
//                        .work = delaunay_work,
//                        .edit = [&](const DynamicSurface& surface) { ... }});
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <tessera/exec/work.h>
#include <tessera/mesh/mesh.h>
#include <tessera/surface/dynamic_surface.h>

#include "application/option_list.h"
#include "application/session.h"
#include "data/files.h"

namespace tessera::cli {

/// The options that all of them have.
struct EditArguments {
  InputOptions input;
  OutputOptions output;
  std::filesystem::path histogram;
  double feature_angle = 45;
  std::uint32_t seed = 0;
};

/// Adds them, but for those of the output.
void add_edit_options(OptionList& app, EditArguments& options);

/// Takes out what no surface has: triangles that are there again and those that name a point twice, with a
/// note. Returns whether there are any, and only those; else the mesh is as it was.
bool drop_unsound(Session& session, TriMesh& mesh);

/// Writes a picture that --histogram asked for, and says so.
void write_histogram(Session& session, const std::filesystem::path& file, const std::string& svg);

/// What an edit has to say of itself.
struct EditSummary {
  std::string sentence;  ///< "12 edges flipped in 3 rounds"
  Json facts;            ///< the same for the result
  std::vector<std::string> notes = {};
};

struct SurfaceEdit {
  std::string_view what;  ///< begins the sentence that refuses other meshes
  std::function<Work(const TriMesh&)> work;
  std::function<EditSummary(const DynamicSurface&)> edit;
};

/// Reads the surface, edits it where --device says, prints the quality before and after, and writes it. An
/// edit cannot keep triangles that are there again or name a point twice: they are dropped, with a note.
int edit_surface(Session& session, const EditArguments& options, const SurfaceEdit& verb);

}  // namespace tessera::cli
