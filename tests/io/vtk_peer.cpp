#include "io/vtk_peer.h"

#include <vtkCellArray.h>
#include <vtkCellData.h>
#include <vtkDoubleArray.h>
#include <vtkFieldData.h>
#include <vtkFloatArray.h>
#include <vtkGenericDataObjectReader.h>
#include <vtkGenericDataObjectWriter.h>
#include <vtkImageData.h>
#include <vtkIntArray.h>
#include <vtkNew.h>
#include <vtkPointData.h>
#include <vtkPolyData.h>
#include <vtkXMLDataSetWriter.h>
#include <vtkXMLImageDataReader.h>
#include <vtkXMLPolyDataReader.h>
#include <vtkXMLUnstructuredGridReader.h>

namespace tessera::testing {
namespace {

void add_fields(vtkDataSet* data) {
  vtkNew<vtkFloatArray> height;
  height->SetName("height");
  for (vtkIdType i = 0; i < data->GetNumberOfPoints(); ++i)
    height->InsertNextValue(static_cast<float>(i) / 3.0F);
  data->GetPointData()->AddArray(height);
  vtkNew<vtkIntArray> region;
  region->SetName("region");
  for (vtkIdType i = 0; i < data->GetNumberOfCells(); ++i) region->InsertNextValue(static_cast<int>(-i - 1));
  data->GetCellData()->AddArray(region);
  vtkNew<vtkDoubleArray> box;
  box->SetName("box");
  for (int i = 0; i < 3; ++i) box->InsertNextValue(0.1 * i);
  data->GetFieldData()->AddArray(box);
}

vtkSmartPointer<vtkPoints> make_points() {
  auto points = vtkSmartPointer<vtkPoints>::New();
  points->SetDataTypeToDouble();
  for (int i = 0; i < 5; ++i) points->InsertNextPoint(0.1 * i, i % 2, 1.0 / (i + 1));
  return points;
}

}  // namespace

std::vector<XmlEncoding> all_encodings() {
  std::vector<XmlEncoding> result = {{"ascii", "none"}};
  for (const char* mode : {"binary", "raw", "base64"}) {
    for (const char* compressor : {"none", "zlib", "lz4", "lzma"}) {
      result.push_back({mode, compressor});
      result.push_back({mode, compressor, true, false});
    }
  }
  return result;
}

vtkSmartPointer<vtkUnstructuredGrid> make_vtk_tets() {
  auto grid = vtkSmartPointer<vtkUnstructuredGrid>::New();
  grid->SetPoints(make_points());
  const vtkIdType first[] = {0, 1, 2, 3};
  const vtkIdType second[] = {1, 2, 3, 4};
  grid->InsertNextCell(VTK_TETRA, 4, first);
  grid->InsertNextCell(VTK_TETRA, 4, second);
  add_fields(grid);
  return grid;
}

vtkSmartPointer<vtkPolyData> make_vtk_triangles() {
  auto poly = vtkSmartPointer<vtkPolyData>::New();
  poly->SetPoints(make_points());
  vtkNew<vtkCellArray> polys;
  const vtkIdType first[] = {0, 1, 2};
  const vtkIdType second[] = {2, 1, 4};
  polys->InsertNextCell(3, first);
  polys->InsertNextCell(3, second);
  poly->SetPolys(polys);
  add_fields(poly);
  return poly;
}

vtkSmartPointer<vtkImageData> make_vtk_image() {
  auto image = vtkSmartPointer<vtkImageData>::New();
  image->SetExtent(2, 5, -1, 1, 0, 1);
  image->SetOrigin(1, 2, 3);
  image->SetSpacing(0.5, 0.25, 2);
  add_fields(image);
  return image;
}

void vtk_write_xml(vtkDataObject* data, const std::filesystem::path& file, const XmlEncoding& encoding) {
  vtkNew<vtkXMLDataSetWriter> writer;
  writer->SetFileName(file.c_str());
  writer->SetInputDataObject(data);
  encoding.is_big_endian ? writer->SetByteOrderToBigEndian() : writer->SetByteOrderToLittleEndian();
  encoding.has_wide_header ? writer->SetHeaderTypeToUInt64() : writer->SetHeaderTypeToUInt32();
  if (encoding.mode == "ascii") writer->SetDataModeToAscii();
  if (encoding.mode == "binary") writer->SetDataModeToBinary();
  if (encoding.mode == "raw" || encoding.mode == "base64") {
    writer->SetDataModeToAppended();
    writer->SetEncodeAppendedData(encoding.mode == "base64" ? 1 : 0);
  }
  if (encoding.compressor == "none") writer->SetCompressorTypeToNone();
  if (encoding.compressor == "zlib") writer->SetCompressorTypeToZLib();
  if (encoding.compressor == "lz4") writer->SetCompressorTypeToLZ4();
  if (encoding.compressor == "lzma") writer->SetCompressorTypeToLZMA();
  writer->Write();
}

void vtk_write_legacy(vtkDataObject* data, const std::filesystem::path& file, bool is_text) {
  vtkNew<vtkGenericDataObjectWriter> writer;
  writer->SetFileName(file.c_str());
  writer->SetInputDataObject(data);
  is_text ? writer->SetFileTypeToASCII() : writer->SetFileTypeToBinary();
  writer->Write();
}

vtkSmartPointer<vtkDataObject> vtk_read(const std::filesystem::path& file) {
  const std::string extension = file.extension().string();
  const auto read = [&](auto reader) -> vtkSmartPointer<vtkDataObject> {
    reader->SetFileName(file.c_str());
    reader->Update();
    return vtkDataObject::SafeDownCast(reader->GetOutputDataObject(0));
  };
  if (extension == ".vtu") return read(vtkSmartPointer<vtkXMLUnstructuredGridReader>::New());
  if (extension == ".vtp") return read(vtkSmartPointer<vtkXMLPolyDataReader>::New());
  if (extension == ".vti") return read(vtkSmartPointer<vtkXMLImageDataReader>::New());
  return read(vtkSmartPointer<vtkGenericDataObjectReader>::New());
}

}  // namespace tessera::testing
