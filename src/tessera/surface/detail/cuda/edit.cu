// Loops of edits (surface/detail/edit), compiled by nvcc.
#include <tessera/surface/detail/edit/build_loops.h>
#include <tessera/surface/detail/edit/compact_loops.h>
#include <tessera/surface/detail/edit/repair_loops.h>
#include <tessera/surface/detail/edit/round_loops.h>
#include <tessera/surface/detail/edit/set_loops.h>
#include <tessera/surface/detail/cuda/run_loop.cuh>

namespace tessera::detail::cuda {

#define TS_INSTANTIATE(LOOP) template void run_loop<LOOP>(const Exec&, std::size_t, const LOOP&);
TS_INSTANTIATE(CopyWords)
TS_INSTANTIATE(FillWords)
TS_INSTANTIATE(CountUp)
TS_INSTANTIATE(FillBytes)
TS_INSTANTIATE(CountFar)
TS_INSTANTIATE(FlagLive)
TS_INSTANTIATE(FindSets)
TS_INSTANTIATE(LowWords)
TS_INSTANTIATE(InvertList)
TS_INSTANTIATE(GatherCells)
TS_INSTANTIATE(GatherWords)
TS_INSTANTIATE(MatchEdges)
TS_INSTANTIATE(CopyBytes)
TS_INSTANTIATE(FillLongs)
TS_INSTANTIATE(RotateFaces)
TS_INSTANTIATE(LinkEdges)
TS_INSTANTIATE(LinkVertices)
TS_INSTANTIATE(ListLengths<SurfaceRows<EF>>)
TS_INSTANTIATE(ListLengths<SurfaceRows<VF>>)
TS_INSTANTIATE(ListEdges)
TS_INSTANTIATE(ListVertices)
TS_INSTANTIATE(FindWinners)
TS_INSTANTIATE(CountFaces)
TS_INSTANTIATE(ShapeCavities)
TS_INSTANTIATE(ClearChords)
TS_INSTANTIATE(ClaimChords)
TS_INSTANTIATE(ResolveChords)
TS_INSTANTIATE(CommitCavities)
TS_INSTANTIATE(CountFreed)
TS_INSTANTIATE(ListFreed)
TS_INSTANTIATE(FlagSuspects)
TS_INSTANTIATE(UnflagRemoved)
TS_INSTANTIATE(WritePairs<EdgesOfVertices>)
TS_INSTANTIATE(WritePairs<SidesOfEdges>)
TS_INSTANTIATE(WritePairs<NewEdges>)
TS_INSTANTIATE(WritePairs<NewSides>)
TS_INSTANTIATE(WritePairs<LiveSides>)
TS_INSTANTIATE(WritePairs<CornersOfEdges>)
TS_INSTANTIATE(WritePairs<KeptLists>)
TS_INSTANTIATE(WritePairs<NewLists>)
TS_INSTANTIATE(ResolveEdges)
TS_INSTANTIATE(ResolveVertices)
TS_INSTANTIATE(SplitPairs)
#undef TS_INSTANTIATE

}  // namespace tessera::detail::cuda
