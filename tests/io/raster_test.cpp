// NRRD and MetaImage files, made by hand and by VTK.
#include <vtkFloatArray.h>
#include <vtkImageData.h>
#include <vtkMetaImageWriter.h>
#include <vtkNew.h>
#include <vtkPointData.h>

#include "io/samples.h"
#include "io/support.h"
#include "io/vtk_peer.h"

namespace tessera {
namespace {

using testing::TempDir;

std::string bytes_of(std::string_view hex) {
  std::string bytes;
  for (; hex.size() > 1; hex.remove_prefix(2))
    bytes += static_cast<char>(std::stoi(std::string(hex.substr(0, 2)), nullptr, 16));
  return bytes;
}

class Raster : public ::testing::Test {
 protected:
  Raster() {
    for (const auto& [name, bytes] : testing::companions()) testing::save(directory / name, bytes);
  }
  ReadResult read(const std::string& name, const std::string& bytes) {
    testing::save(directory / name, bytes);
    return read_mesh(directory / name);
  }
  ReadResult read_sample(const std::string& format, const std::string& name) {
    return read("a." + format, testing::samples(format).at("by_hand_" + name));
  }
  Grid read_one(const std::string& name, const std::string& bytes) {
    return std::get<Grid>(read(name, bytes).mesh);
  }
  void expect_bad(const std::string& name, const std::string& bytes,
                  std::initializer_list<std::string_view> words, ErrorCode code = ErrorCode::bad_file) {
    SCOPED_TRACE(bytes.substr(0, 300));
    testing::save(directory / name, bytes);
    testing::expect_error(code, words, [&] { return read_mesh(directory / name); });
  }
  TempDir directory;
};

const Array<std::int16_t> six = {0, 1, 2, -3, 400, -32768};

TEST_F(Raster, NrrdByHand) {
  const ReadResult result = read_sample("nrrd", "six.nrrd");
  const Grid& grid = std::get<Grid>(result.mesh);
  EXPECT_EQ(result.report.format, "nrrd");
  EXPECT_TRUE(result.report.notes.empty());
  EXPECT_EQ(grid.dims, (std::array<std::uint32_t, 3>{3, 2, 1}));
  EXPECT_EQ(grid.origin, (Vec3d{1, 2, 3}));
  EXPECT_EQ(grid.spacing, (Vec3d{0.5, -2, 1}));
  EXPECT_EQ(grid.direction, Grid{}.direction);
  EXPECT_EQ(grid.field("height"), Field("height", six));

  const ReadResult text = read_sample("nrrd", "text.nrrd");
  const Grid& vectors = std::get<Grid>(text.mesh);
  EXPECT_EQ(vectors.dims, (std::array<std::uint32_t, 3>{2, 1, 1}));
  EXPECT_EQ(vectors.spacing, (Vec3d{1, 2, 3}));
  EXPECT_EQ(vectors.field("values"), Field("values", Array<float>{1, 2, 3, 0.4F}, 2));
  EXPECT_EQ(text.report.notes, std::vector<std::string>{"Left out fields of the header: \"key\"."});

  const Grid detached = std::get<Grid>(read_sample("nhdr", "raw.nhdr").mesh);
  EXPECT_EQ(detached.field("values"), Field("values", Array<std::uint16_t>{1, 2, 3, 256}));
}

TEST_F(Raster, MetaImageByHand) {
  const Grid flat = std::get<Grid>(read_sample("mha", "six.mha").mesh);
  EXPECT_EQ(flat.dims, (std::array<std::uint32_t, 3>{3, 2, 1}));
  EXPECT_EQ(flat.origin, (Vec3d{1, 2, 0}));
  EXPECT_EQ(flat.spacing, (Vec3d{0.5, 2, 1}));
  EXPECT_EQ(flat.field("values"), Field("values", six));
  // The first axis goes along y and the second against x: a quarter turn.
  const Grid turned = std::get<Grid>(read_sample("mhd", "raw.mhd").mesh);
  EXPECT_EQ(turned.point(1, 0, 0), (Vec3d{0, 1, 0}));
  EXPECT_EQ(turned.point(0, 1, 0), (Vec3d{-1, 0, 0}));
  EXPECT_EQ(turned.field("values"), Field("values", Array<std::uint16_t>{1, 2, 3, 256}, 2));
}

// 1 in every type and both byte orders; names from the formats' definitions.
TEST_F(Raster, EveryType) {
  const std::vector<std::tuple<std::string, std::string, ScalarType, std::string>> types = {
      {"int8", "MET_CHAR", ScalarType::i8, "01"},
      {"unsigned char", "MET_UCHAR", ScalarType::u8, "01"},
      {"signed short int", "MET_SHORT", ScalarType::i16, "0001"},
      {"uint16_t", "MET_USHORT", ScalarType::u16, "0001"},
      {"int", "MET_INT", ScalarType::i32, "00000001"},
      {"uint", "MET_ULONG", ScalarType::u32, "00000001"},
      {"long long", "MET_LONG_LONG", ScalarType::i64, "0000000000000001"},
      {"uint64", "MET_ULONG_LONG", ScalarType::u64, "0000000000000001"},
      {"float", "MET_FLOAT", ScalarType::f32, "3f800000"},
      {"double", "MET_DOUBLE", ScalarType::f64, "3ff0000000000000"}};
  for (const auto& [nrrd, meta, type, hex] : types) {
    for (const bool is_big : {true, false}) {
      SCOPED_TRACE(nrrd + (is_big ? " big" : " little"));
      std::string one = bytes_of(hex);
      if (!is_big) std::ranges::reverse(one);
      const std::string endian = is_big ? "big" : "little";
      const Grid a = read_one("a.nrrd", "NRRD0004\ntype: " + nrrd +
                                            "\ndimension: 2\nsizes: 2 1\nencoding: raw\nendian: " + endian +
                                            "\n\n" + one + one);
      const Grid b = read_one(
          "b.mha",
          "NDims = 2\nDimSize = 2 1\nElementByteOrderMSB = " + std::string(is_big ? "True" : "False") +
              "\nElementType = " + meta + "\nElementDataFile = LOCAL\n" + one + one);
      EXPECT_EQ(a.field("values").type(), type);
      EXPECT_EQ(a.field("values"), b.field("values"));
      a.field("values").visit([](auto values) {
        EXPECT_EQ(values[0], 1);
        EXPECT_EQ(values[1], 1);
      });
    }
  }
}

std::string nrrd(const std::string& fields) {
  return "NRRD0004\ntype: uchar\nencoding: ascii\n" + fields;
}

TEST_F(Raster, NrrdAxes) {
  const std::string eight = "\n\n1 2 3 4 5 6 7 8\n";
  // Permuted and mirrored: where the points lie is what counts.
  const Grid grid =
      read_one("a.nrrd", nrrd("dimension: 3\nsizes: 2 2 2\nspace: LPS\n"
                              "space directions: (0, 2, 0) (3,0,0) (0,0,4)\nspace origin: (1,1,1)" +
                              eight));
  EXPECT_EQ(grid.point(1, 0, 0), (Vec3d{1, 3, 1}));
  EXPECT_EQ(grid.point(0, 1, 0), (Vec3d{4, 1, 1}));
  EXPECT_EQ(grid.point(0, 0, 1), (Vec3d{1, 1, 5}));
  const auto& d = grid.direction;
  EXPECT_EQ(d[0] * (d[4] * d[8] - d[5] * d[7]) - d[1] * (d[3] * d[8] - d[5] * d[6]) +
                d[2] * (d[3] * d[7] - d[4] * d[6]),
            1);
  // Components by the kind of the axis and by its missing direction.
  EXPECT_EQ(read_one("a.nrrd", nrrd("dimension: 3\nsizes: 4 2 1\nkinds: RGBA-color domain domain" + eight))
                .field("values")
                .components(),
            4U);
  EXPECT_EQ(
      read_one("a.nrrd",
               nrrd("dimension: 4\nsizes: 2 1 2 2\nspace directions: none (1,0,0) (0,1,0) (0,0,1)" + eight))
          .dims,
      (std::array<std::uint32_t, 3>{1, 2, 2}));
  // A plane in space gets its normal as the third axis.
  const Grid plane =
      read_one("a.nrrd", nrrd("dimension: 2\nsizes: 4 2\nspace directions: (0,1,0) (0,0,1)" + eight));
  EXPECT_EQ(plane.point(1, 1, 0), (Vec3d{0, 1, 1}));
  expect_bad("a.nrrd", nrrd("dimension: 3\nsizes: 2 2 2\nspace directions: (1,0,0) (1,1,0) (0,0,1)" + eight),
             {"a.nrrd", "right angles"}, ErrorCode::unsupported);
  expect_bad("a.nrrd", nrrd("dimension: 3\nsizes: 2 2 2\nspace directions: (0,0,0) (1,1,0) (0,0,1)" + eight),
             {"without a length"});
  expect_bad("a.nrrd", nrrd("dimension: 4\nsizes: 1 2 2 2\nkinds: domain domain domain list" + eight),
             {"another axis"}, ErrorCode::unsupported);
  expect_bad("a.nrrd", nrrd("dimension: 4\nsizes: 1 2 2 2\nkinds: domain domain domain domain" + eight),
             {"4 axes"}, ErrorCode::unsupported);
}

TEST_F(Raster, NrrdData) {
  const std::string head = "NRRD0004\ntype: short\ndimension: 2\nsizes: 3 2\nendian: little\n";
  // Two gzip members, as when files are put together, behind a line.
  const std::string members = bytes_of(
      "1f8b08000000000002ff6360606460020006fcee29050000001f8b08000000000002ff63f8fb7f0223430300861a3eaf070000"
      "00");
  EXPECT_EQ(read_one("a.nrrd", head + "encoding: gz\nline skip: 1\n\nnonsense\n" + members).field("values"),
            Field("values", six));
  testing::save(directory / "six.raw.gz", members);
  EXPECT_EQ(read_one("a.nhdr", head + "encoding: gzip\ndatafile: six.raw.gz\n\n").field("values"),
            Field("values", six));
  const std::string raw(12, '\1');
  EXPECT_TRUE(read("a.nrrd", head + "encoding: raw\n\n" + raw).report.notes.empty());
  EXPECT_EQ(read("a.nrrd", head + "encoding: raw\n\n" + raw + "abc").report.notes,
            std::vector<std::string>{"Left out 3 bytes behind the data."});
  EXPECT_TRUE(read("a.nrrd", head + "encoding: raw\nbyte skip: -1\n\nabc" + raw).report.notes.empty());

  expect_bad("a.nrrd", head + "encoding: raw\n\n" + raw.substr(1), {"a.nrrd", "6 numbers", "11 bytes"});
  expect_bad("a.nrrd", head + "encoding: gzip\n\n" + members.substr(0, members.size() - 12), {"compressed"});
  expect_bad("a.nrrd", head + "encoding: gzip\n\n" + members.substr(0, members.size() - 3), {"compressed"});
  expect_bad("a.nrrd", head + "encoding: gzip\n\n" + raw, {"damaged compressed data"});
  expect_bad(
      "a.nrrd",
      "NRRD0004\ntype: short\ndimension: 2\nsizes: 30000 20000\nendian: big\nencoding: gzip\n\n" + members,
      {"a.nrrd", "unpacks to more than 53664 bytes", "52 compressed bytes", "unpack it first"},
      ErrorCode::unsupported);
  // Beyond 256 MiB a hundred bytes for one, although deflate can make a thousand of it.
  expect_bad("a.nrrd",
             "NRRD0004\ntype: uchar\ndimension: 2\nsizes: 20000 20000\nencoding: gzip\n\n" + members +
                 std::string(500000, '\0'),
             {"a.nrrd", "unpacks to more than 268435456 bytes", "unpack it first"}, ErrorCode::unsupported);
  expect_bad("a.nrrd", head + "encoding: raw\n", {"ends inside its header"});
  expect_bad("a.nrrd", head + "encoding: raw\nSizes: 2 3\n\n" + raw, {"a.nrrd", "field \"sizes\" twice"});
  expect_bad("a.nrrd", head + "encoding: hex\n\n", {"hex"}, ErrorCode::unsupported);
  expect_bad("a.nrrd", head + "encoding raw\n\n", {"encoding raw", "no field"});
  expect_bad("a.nhdr", head + "encoding: raw\ndata file: gone.raw\n", {"a.nhdr", "its data file", "gone.raw"},
             ErrorCode::not_found);
  expect_bad("a.nhdr", head + "encoding: raw\ndata file: LIST\na\n", {"no field"});
  expect_bad("a.nhdr", head + "encoding: raw\ndata file: a%d.raw 1 2 1\n", {"several files"},
             ErrorCode::unsupported);
  expect_bad("a.nhdr", head + "encoding: raw\ndata file: ten.raw\n",
             {"a.nhdr", "ten.raw", "6 numbers", "10 bytes"});
  expect_bad("a.nrrd", nrrd("dimension: 2\nsizes: 2 2\n\n1 2 3 4 5\n"), {"more numbers"});
  expect_bad("a.nrrd", nrrd("dimension: 2\nsizes: 2 2\n\n1 2 3 400\n"), {"\"400\""});
  expect_bad("a.nrrd", nrrd("dimension: 2\nsizes: 2 2 2\n\n1 2 3 4\n"), {"3 values", "\"sizes\"", "2 axes"});
  expect_bad("a.nrrd", nrrd("dimension: 2\nsizes: -2 2\n\n1 2 3 4\n"), {"axis without points"});
  expect_bad("a.nrrd", nrrd("dimension: 3\nsizes: 99999 99999 99999\n\n1\n"), {"4294967295"},
             ErrorCode::unsupported);
  expect_bad("a.nrrd", nrrd("dimension: 5\nsizes: 1 1 1 1 1\n\n1\n"), {"dimension 5"},
             ErrorCode::unsupported);
  expect_bad("a.nrrd", nrrd("sizes: 1 1\n\n1\n"), {"no field \"dimension\""});
  expect_bad("a.nrrd", "NRRD0004\ntype: short\ndimension: 2\nsizes: 1 1\nencoding: raw\n\nab", {"endian"});
  expect_bad("a.nrrd", "NRRD0004\ntype: block\ndimension: 2\nsizes: 1 1\nencoding: raw\n\nab", {"block"},
             ErrorCode::unsupported);
}

TEST_F(Raster, BadMetaImages) {
  const auto meta = [](const std::string& fields, const std::string& data) {
    return "ObjectType = Image\nNDims = 2\n" + fields + "\nElementDataFile = " + data;
  };
  const std::string good = "DimSize = 2 2\nElementType = MET_UCHAR";
  EXPECT_EQ(read_one("a.mha", meta(good + "\nBinaryData = False", "LOCAL\n1 2 3 4")).field("values"),
            Field("values", Array<std::uint8_t>{1, 2, 3, 4}));
  const ReadResult odd =
      read("a.mha", meta(good + "\nAnatomicalOrientation = RAI\nElementSize = 3 4", "LOCAL\nabcd"));
  EXPECT_EQ(std::get<Grid>(odd.mesh).spacing, (Vec3d{3, 4, 1}));
  EXPECT_EQ(odd.report.notes, std::vector<std::string>{"The AnatomicalOrientation is not applied."});
  expect_bad("a.mha", meta(good, "LOCAL\nabc"), {"a.mha", "4 numbers", "3 bytes"});
  expect_bad("a.mhd", meta(good, "gone.raw\n"), {"a.mhd", "its data file", "gone.raw"}, ErrorCode::not_found);
  expect_bad("a.mhd", meta(good, "LIST\n"), {"several files"}, ErrorCode::unsupported);
  expect_bad("a.mhd", meta(good, "\n"), {"does not name"});
  expect_bad("a.mha", meta("DimSize = 2\nElementType = MET_UCHAR", "LOCAL\nab"),
             {"1 values", "DimSize", "needs 2"});
  expect_bad("a.mha", meta("DimSize = 2 0\nElementType = MET_UCHAR", "LOCAL\nab"), {"axis without points"});
  expect_bad("a.mha", meta("DimSize = 2 2\nElementType = MET_OTHER", "LOCAL\nabcd"), {"MET_OTHER"},
             ErrorCode::unsupported);
  expect_bad("a.mha", meta(good + "\nElementNumberOfChannels = 0", "LOCAL\nabcd"), {"0 channels"});
  expect_bad("a.mha", meta(good + "\nElementNumberOfChannels = 9223372036854775807", "LOCAL\nabcd"),
             {"components"});
  expect_bad("a.mha", meta(good + "\nCompressedData = maybe", "LOCAL\nabcd"), {"maybe"});
  expect_bad("a.mha", meta(good + "\nCompressedData = True", "LOCAL\nabcd"), {"damaged compressed data"});
  expect_bad("a.mha", meta(good + "\nElementSpacing = 1 x", "LOCAL\nabcd"), {"\"x\"", "ElementSpacing"});
  expect_bad("a.mha", "ObjectType = Tube\nNDims = 3\nElementDataFile = LOCAL\n", {"tube"},
             ErrorCode::unsupported);
  expect_bad("a.mha", "NDims = 4\nElementDataFile = LOCAL\n", {"4 dimensions"}, ErrorCode::unsupported);
  expect_bad("a.mha", "NDims = 3\n", {"no ElementDataFile"});
  expect_bad("a.mha", meta(good + "\nDimSize = 1 4", "LOCAL\nabcd"), {"a.mha", "field \"DimSize\" twice"});
  expect_bad("a.mha", meta(good + "\nHeaderSize = 1", "LOCAL\nabcde"), {"HeaderSize", "in the same file"},
             ErrorCode::unsupported);
  expect_bad("a.mhd", meta(good + "\nHeaderSize = 1\nCompressedData = True", "b.raw"),
             {"HeaderSize", "compressed"}, ErrorCode::unsupported);
  EXPECT_EQ(read_one("a.mha", meta(good + "\nHeaderSize = -1", "LOCAL\nzzabcd")).field("values"),
            Field("values", Array<std::uint8_t>{'a', 'b', 'c', 'd'}));
}

// A volume of labels, most of them 0, shrinks far more than measured values do.
TEST_F(Raster, ReadsWhatShrinksToLessThanAHundredth) {
  vtkNew<vtkImageData> image;
  image->SetDimensions(200, 100, 100);
  image->AllocateScalars(VTK_UNSIGNED_CHAR, 1);
  image->GetPointData()->GetScalars()->Fill(7);
  vtkNew<vtkMetaImageWriter> writer;
  writer->SetFileName((directory / "a.mha").c_str());
  writer->SetInputData(image);
  writer->SetCompression(true);
  writer->Write();
  EXPECT_LT(std::filesystem::file_size(directory / "a.mha"), 2000000U / 100);
  EXPECT_EQ(read_grid(directory / "a.mha").field("values"),
            Field("values", Array<std::uint8_t>(2000000, std::uint8_t{7})));
}

TEST_F(Raster, ReadsWhatVtkWrites) {
  vtkNew<vtkImageData> image;
  image->SetDimensions(4, 3, 2);
  image->SetOrigin(1, 2, 3);
  image->SetSpacing(0.5, 0.25, 2);
  vtkNew<vtkFloatArray> values;
  for (int i = 0; i < 24; ++i) values->InsertNextValue(static_cast<float>(i) / 3);
  image->GetPointData()->SetScalars(values);
  for (const bool is_compressed : {false, true}) {
    for (const std::string name : {"a.mha", "b.mhd"}) {
      vtkNew<vtkMetaImageWriter> writer;
      writer->SetFileName((directory / name).c_str());
      writer->SetInputData(image);
      writer->SetCompression(is_compressed);
      writer->Write();
      const Grid grid = read_grid(directory / name);
      EXPECT_EQ(grid.dims, (std::array<std::uint32_t, 3>{4, 3, 2}));
      EXPECT_EQ(grid.origin, (Vec3d{1, 2, 3}));
      EXPECT_EQ(grid.spacing, (Vec3d{0.5, 0.25, 2}));
      const auto ours = grid.field("values").as<float>();
      for (int i = 0; i < 24; ++i) EXPECT_EQ(ours[i], static_cast<float>(i) / 3);
    }
  }
}

}  // namespace
}  // namespace tessera
