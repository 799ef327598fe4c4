// Writer of vtu, vtp and vti, by VTK's own writers: the arrays are lent to VTK, not copied.
#include <limits>
#include <numeric>
#include <type_traits>

#include <vtkCallbackCommand.h>
#include <vtkCellArray.h>
#include <vtkCellData.h>
#include <vtkCellType.h>
#include <vtkDataArray.h>
#include <vtkErrorCode.h>
#include <vtkFieldData.h>
#include <vtkImageData.h>
#include <vtkNew.h>
#include <vtkPointData.h>
#include <vtkPoints.h>
#include <vtkPolyData.h>
#include <vtkSmartPointer.h>
#include <vtkTypeInt32Array.h>
#include <vtkTypeInt64Array.h>
#include <vtkUnsignedCharArray.h>
#include <vtkUnstructuredGrid.h>
#include <vtkXMLImageDataWriter.h>
#include <vtkXMLPolyDataWriter.h>
#include <vtkXMLUnstructuredGridWriter.h>
#include <vtkZLibDataCompressor.h>

#include <tessera/io/formats.h>

namespace tessera::io {
namespace {

constexpr std::array<int, 10> vtk_types = {VTK_TYPE_INT8,   VTK_TYPE_UINT8,  VTK_TYPE_INT16,   VTK_TYPE_UINT16,
                                           VTK_TYPE_INT32,  VTK_TYPE_UINT32, VTK_TYPE_INT64,   VTK_TYPE_UINT64,
                                           VTK_TYPE_FLOAT32, VTK_TYPE_FLOAT64};

/// An array of VTK's over our memory. VTK asks for a pointer to non-const but a writer only reads.
vtkSmartPointer<vtkDataArray> lend(const void* data, ScalarType type, std::size_t values, std::size_t components) {
  auto array = vtkSmartPointer<vtkDataArray>::Take(
      vtkDataArray::CreateDataArray(vtk_types[static_cast<std::size_t>(type)]));
  array->SetNumberOfComponents(static_cast<int>(components));
  constexpr int keep = 1;
  array->SetVoidArray(const_cast<void*>(data), static_cast<vtkIdType>(values), keep);
  return array;
}

void lend_fields(const FieldSet& fields, vtkFieldData* to) {
  for (const Field& field : fields) {
    field.visit([&](auto values) {
      const auto array = lend(values.data(), field.type(), values.size(), field.components());
      array->SetName(field.name().c_str());
      to->AddArray(array);
    });
  }
}

template <class Mesh>
void lend_data(const Mesh& mesh, vtkDataSet* to) {
  lend_fields(mesh.point_data, to->GetPointData());
  lend_fields(mesh.cell_data, to->GetCellData());
  lend_fields(mesh.field_data, to->GetFieldData());
}

vtkSmartPointer<vtkPoints> lend_points(const Points& points) {
  auto result = vtkSmartPointer<vtkPoints>::New();
  points.visit([&](auto values) {
    result->SetData(lend(values.data(), points.is_double() ? ScalarType::f64 : ScalarType::f32, 3 * values.size(), 3));
  });
  return result;
}

/// Connectivity stays in our 4 bytes while VTK's signed ones can hold every id and offset.
template <class Offsets, class Mesh>
vtkSmartPointer<vtkCellArray> make_cells(const Mesh& mesh) {
  const auto corners = static_cast<vtkIdType>(mesh.cells.size()) * Mesh::corners;
  vtkNew<Offsets> offsets;
  offsets->SetNumberOfValues(static_cast<vtkIdType>(mesh.cells.size()) + 1);
  for (vtkIdType i = 0; i <= static_cast<vtkIdType>(mesh.cells.size()); ++i) {
    offsets->SetValue(i, static_cast<typename Offsets::ValueType>(i * Mesh::corners));
  }
  vtkNew<Offsets> connectivity;
  if constexpr (sizeof(typename Offsets::ValueType) == sizeof(VertexId)) {
    connectivity->SetVoidArray(const_cast<typename Mesh::Cell*>(mesh.cells.data()), corners, 1);
  } else {
    connectivity->SetNumberOfValues(corners);
    vtkIdType next = 0;
    for (const auto& cell : mesh.cells) {
      for (const VertexId v : cell) connectivity->SetValue(next++, v.index());
    }
  }
  auto cells = vtkSmartPointer<vtkCellArray>::New();
  cells->SetData(offsets, connectivity);
  return cells;
}

template <class Mesh>
vtkSmartPointer<vtkCellArray> make_cells(const Mesh& mesh) {
  constexpr std::size_t limit = std::numeric_limits<std::int32_t>::max();
  const bool is_narrow = mesh.cells.size() <= limit / Mesh::corners && mesh.points.size() <= limit;
  return is_narrow ? make_cells<vtkTypeInt32Array>(mesh) : make_cells<vtkTypeInt64Array>(mesh);
}

/// What VTK says while it writes becomes our error and our progress.
struct Listener {
  std::string complaint;
  const Monitor* monitor = nullptr;

  static void hear(vtkObject* caller, unsigned long event, void* self, void* data) {
    auto* listener = static_cast<Listener*>(self);
    if (event == vtkCommand::ErrorEvent) {
      if (listener->complaint.empty() && data != nullptr) listener->complaint = static_cast<const char*>(data);
      return;
    }
    auto* writer = vtkAlgorithm::SafeDownCast(caller);
    if (listener->monitor == nullptr || writer == nullptr) return;
    if (listener->monitor->report && data != nullptr) {
      listener->monitor->report("writing", *static_cast<const double*>(data));
    }
    if (listener->monitor->is_stopped()) writer->SetAbortExecute(1);
  }
};

void run(vtkXMLWriter* writer, vtkDataObject* data, Output& output, const WriteOptions& options) {
  Listener listener;
  listener.monitor = options.monitor;
  vtkNew<vtkCallbackCommand> observer;
  observer->SetCallback(&Listener::hear);
  observer->SetClientData(&listener);
  vtkNew<vtkZLibDataCompressor> compressor;
  for (vtkObject* object : {static_cast<vtkObject*>(writer), static_cast<vtkObject*>(compressor)}) {
    object->AddObserver(vtkCommand::ErrorEvent, observer);
    object->AddObserver(vtkCommand::ProgressEvent, observer);
  }
  writer->SetInputDataObject(data);
  writer->SetFileName(output.temporary().c_str());
  writer->SetHeaderTypeToUInt64();
  writer->SetCompressor(options.compress ? compressor.Get() : nullptr);
  if (options.ascii) {
    writer->SetDataModeToAscii();
  } else {
    writer->SetDataModeToAppended();
    writer->EncodeAppendedDataOff();
  }
  const bool is_written = writer->Write() != 0;
  output.report(1);  // throws if stopped
  if (!is_written || writer->GetErrorCode() != vtkErrorCode::NoError || !listener.complaint.empty()) {
    const char* reason = vtkErrorCode::GetStringFromErrorCode(writer->GetErrorCode());
    output.fail("can not be written: " + (listener.complaint.empty() ? std::string(reason) : listener.complaint));
  }
}

void write(Output& output, const Grid& grid, const WriteOptions& options) {
  vtkNew<vtkImageData> image;
  for (const std::uint32_t n : grid.dims) {
    if (n > std::numeric_limits<std::int32_t>::max()) output.refuse("an axis of a vti file has at most 2147483647 points");
  }
  image->SetDimensions(static_cast<int>(grid.dims[0]), static_cast<int>(grid.dims[1]), static_cast<int>(grid.dims[2]));
  image->SetOrigin(grid.origin.x, grid.origin.y, grid.origin.z);
  image->SetSpacing(grid.spacing.x, grid.spacing.y, grid.spacing.z);
  image->SetDirectionMatrix(grid.direction.data());
  lend_data(grid, image);
  vtkNew<vtkXMLImageDataWriter> writer;
  run(writer, image, output, options);
}

template <class Mesh>
void write_unstructured(Output& output, const Mesh& mesh, const WriteOptions& options) {
  vtkNew<vtkUnstructuredGrid> grid;
  grid->SetPoints(lend_points(mesh.points));
  grid->SetCells(Mesh::dimension == 3 ? VTK_TETRA : VTK_TRIANGLE, make_cells(mesh));
  lend_data(mesh, grid);
  vtkNew<vtkXMLUnstructuredGridWriter> writer;
  run(writer, grid, output, options);
}

void write_poly_data(Output& output, const TriMesh& mesh, const WriteOptions& options) {
  vtkNew<vtkPolyData> poly;
  poly->SetPoints(lend_points(mesh.points));
  poly->SetPolys(make_cells(mesh));
  lend_data(mesh, poly);
  vtkNew<vtkXMLPolyDataWriter> writer;
  run(writer, poly, output, options);
}

}  // namespace

void write_vtu(Output& output, const MeshRef& mesh, const WriteOptions& options) {
  if (const auto* tets = std::get_if<const TetMesh*>(&mesh)) return write_unstructured(output, **tets, options);
  if (const auto* triangles = std::get_if<const TriMesh*>(&mesh)) return write_unstructured(output, **triangles, options);
  output.refuse("a vtu file can not hold a regular grid; write a vti file, or tetrahedralize it first");
}

void write_vtp(Output& output, const MeshRef& mesh, const WriteOptions& options) {
  const auto* triangles = std::get_if<const TriMesh*>(&mesh);
  if (triangles == nullptr) output.refuse("a vtp file can only hold triangles; write a vtu or vti file");
  write_poly_data(output, **triangles, options);
}

void write_vti(Output& output, const MeshRef& mesh, const WriteOptions& options) {
  const auto* grid = std::get_if<const Grid*>(&mesh);
  if (grid == nullptr) output.refuse("a vti file can only hold a regular grid; write a vtu file");
  write(output, **grid, options);
}

}  // namespace tessera::io
