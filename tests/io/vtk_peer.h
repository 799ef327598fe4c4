// VTK's own readers and writers, as a second opinion on files.
#pragma once

#include <filesystem>
#include <string>

#include <vtkSmartPointer.h>
#include <vtkUnstructuredGrid.h>

class vtkImageData;
class vtkPolyData;

namespace tessera::testing {

/// How an XML file keeps its arrays.
struct XmlEncoding {
  std::string mode;        ///< ascii, binary, raw, base64
  std::string compressor;  ///< none, zlib, lz4, lzma
  bool is_big_endian = false;
  bool has_wide_header = true;

  [[nodiscard]] std::string name() const {
    return mode + "_" + compressor + (is_big_endian ? "_big" : "_little") + (has_wide_header ? "_64" : "_32");
  }
};

/// Every encoding that VTK writes.
[[nodiscard]] std::vector<XmlEncoding> all_encodings();

/// Two tetrahedra, points in double, a float field on points, an int one on cells, three doubles of the
/// whole.
[[nodiscard]] vtkSmartPointer<vtkUnstructuredGrid> make_vtk_tets();
[[nodiscard]] vtkSmartPointer<vtkPolyData> make_vtk_triangles();
/// 4 x 3 x 2 points of an extent that does not begin at 0, with point and cell data.
[[nodiscard]] vtkSmartPointer<vtkImageData> make_vtk_image();

void vtk_write_xml(vtkDataObject* data, const std::filesystem::path& file, const XmlEncoding& encoding);
void vtk_write_legacy(vtkDataObject* data, const std::filesystem::path& file, bool is_text);
[[nodiscard]] vtkSmartPointer<vtkDataObject> vtk_read(const std::filesystem::path& file);

}  // namespace tessera::testing
