#include <tessera/surface/detail/cuda/remesh.h>

#include <tessera/surface/detail/edit/remesh_operators.h>
#include <tessera/surface/detail/cuda/run_loop.cuh>
#include <tessera/surface/edit.cuh>

namespace tessera::detail::cuda {

template <class Operator>
EditReport remesh_edit(const DynamicSurface& surface, const Operator& op, const EditOptions& options) {
  return edit(surface, op, options);
}

template EditReport remesh_edit(const DynamicSurface&, const SplitLong&, const EditOptions&);
template EditReport remesh_edit(const DynamicSurface&, const CollapseShort&, const EditOptions&);
template EditReport remesh_edit(const DynamicSurface&, const FlipToValence&, const EditOptions&);

#define TS_INSTANTIATE(LOOP) template void run_loop<LOOP>(const Exec&, std::size_t, const LOOP&);
TS_INSTANTIATE(MeasureEdges)
TS_INSTANTIATE(MarkLines)
TS_INSTANTIATE(GatherLines)
TS_INSTANTIATE(SetLines)
TS_INSTANTIATE(MarkFreedom)
TS_INSTANTIATE(WriteValences)
TS_INSTANTIATE(FlagFlips)
TS_INSTANTIATE(SmoothOnce)
TS_INSTANTIATE(CopyPoints)
TS_INSTANTIATE(BoxShapes<FaceShapes>)
TS_INSTANTIATE(BoxShapes<EdgeShapes>)
TS_INSTANTIATE(BoxShapes<StoredShapes>)
TS_INSTANTIATE(BoxBoxes)
TS_INSTANTIATE(PlaceShapes<FaceShapes>)
TS_INSTANTIATE(PlaceShapes<EdgeShapes>)
TS_INSTANTIATE(WriteShapes<FaceShapes>)
TS_INSTANTIATE(WriteShapes<EdgeShapes>)
TS_INSTANTIATE(FlagFaces)
TS_INSTANTIATE(FindHomes)
TS_INSTANTIATE(ProjectVertices)
TS_INSTANTIATE(FlagSpoilt)
TS_INSTANTIATE(PutBack)
TS_INSTANTIATE(LocateVertices)
TS_INSTANTIATE(SampleField<float>)
TS_INSTANTIATE(SampleField<double>)
#undef TS_INSTANTIATE

}  // namespace tessera::detail::cuda
