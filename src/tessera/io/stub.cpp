#include <tessera/io/formats.h>
namespace tessera::io {
AnyMesh read_vtk_legacy(Input& input, const ReadOptions&, FileReport&) { input.refuse("x"); }
void write_vtk_legacy(Output& output, const MeshRef&, const WriteOptions&) { output.refuse("x"); }
}
