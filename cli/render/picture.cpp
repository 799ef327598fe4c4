#include "render/picture.h"

#include <fmt/format.h>
#include <vtkActor.h>
#include <vtkActor2D.h>
#include <vtkCamera.h>
#include <vtkDoubleArray.h>
#include <vtkImageData.h>
#include <vtkLightKit.h>
#include <vtkPNGWriter.h>
#include <vtkPointData.h>
#include <vtkPolyDataMapper.h>
#include <vtkPolyDataMapper2D.h>
#include <vtkPolyDataNormals.h>
#include <vtkProperty.h>
#include <vtkProperty2D.h>
#include <vtkRegularPolygonSource.h>
#include <vtkRenderWindow.h>
#include <vtkRenderer.h>
#include <vtkScalarBarActor.h>
#include <vtkTextActor.h>
#include <vtkTextProperty.h>
#include <vtkUnsignedCharArray.h>
#include <vtkWindowToImageFilter.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "application/text.h"
#include "render/vtk_data.h"

namespace tessera::cli {
namespace {

/// Drawn larger and averaged down: smooth edges on any OpenGL, for text and lines too.
constexpr int supersampling = 2;
constexpr double view_angle = 26;
/// Edges sharper than this stay sharp.
constexpr double feature_angle = 35;
/// The part of the width that the colour bar takes.
constexpr double bar_share = 0.15;
/// The same for the legend of marks, alone or below the colour bar.
constexpr double legend_share = 0.22;
/// The height of a letter over its width, about.
constexpr double letter_ratio = 1.7;
/// Lines, points and marks are drawn nearer to the eye by this part of the distance, without being moved on
/// the picture: they lie on surfaces, and smoothed ones a little below.
constexpr double lift = 0.005;
/// More points than that are drawn small.
constexpr vtkIdType few_points = 3000;

double radians(double degrees) {
  return degrees * std::numbers::pi / 180;
}

void set_color(vtkProperty& property, const Color& c) {
  property.SetColor(c[0], c[1], c[2]);
}

vtkSmartPointer<vtkPolyData> with_normals(const Piece& piece) {
  if (piece.role != Role::closed_surface && piece.role != Role::open_surface) return piece.data;
  const auto normals = vtkSmartPointer<vtkPolyDataNormals>::New();
  normals->SetInputData(piece.data);
  normals->SetFeatureAngle(feature_angle);
  normals->SetConsistency(piece.role == Role::open_surface);
  normals->Update();
  return normals->GetOutput();
}

vtkSmartPointer<vtkPolyDataMapper> make_mapper(const Piece& piece, const Layer& layer,
                                               const PictureOptions& options) {
  const auto mapper = vtkSmartPointer<vtkPolyDataMapper>::New();
  mapper->SetInputData(options.style == Style::wireframe ? piece.data : with_normals(piece));
  if (!layer.is_colored || piece.role == Role::outline) {
    mapper->ScalarVisibilityOff();
    return mapper;
  }
  const Coloring& coloring = *options.coloring;
  const bool on_points = piece.data->GetPointData()->HasArray(drawn_field) != 0;
  if (on_points) {
    mapper->SetScalarModeToUsePointFieldData();
  } else {
    mapper->SetScalarModeToUseCellFieldData();
  }
  mapper->SelectColorArray(drawn_field);
  mapper->SetLookupTable(make_lookup_table(coloring.colormap, coloring.lowest, coloring.highest));
  mapper->UseLookupTableScalarRangeOn();
  // Values, not colours, are interpolated across a triangle, so that steep fields keep the map's colours.
  mapper->SetInterpolateScalarsBeforeMapping(on_points && !is_categorical(coloring.colormap) &&
                                             !coloring.is_constant());
  return mapper;
}

void set_style(vtkProperty& property, const Piece& piece, const Layer& layer, const PictureOptions& options) {
  const bool is_thin = piece.role == Role::lines || piece.role == Role::points;
  const Color ink = readable_on(options.background);
  set_color(property, piece.role == Role::outline ? ink : is_thin ? layer.line_color : layer.color);
  property.SetLineWidth(1.2f * supersampling);
  if (is_thin) {
    const bool are_few = piece.data->GetNumberOfCells() <= few_points;
    const double width = piece.role == Role::lines ? 2.4 : are_few ? 7 : 3;
    property.SetRenderLinesAsTubes(true);
    property.SetRenderPointsAsSpheres(true);
    property.SetLineWidth(static_cast<float>(width * options.mark_size * supersampling));
    property.SetPointSize(property.GetLineWidth());
  } else if (options.style == Style::wireframe) {
    property.SetRepresentationToWireframe();
    set_color(property, layer.line_color);
  } else if (options.style == Style::surface_with_edges && piece.role != Role::outline) {
    property.EdgeVisibilityOn();
    property.SetEdgeColor(0.12, 0.14, 0.18);
    property.SetLineWidth(0.6f * supersampling);
  }
  if (!is_thin && piece.role != Role::outline) property.SetOpacity(layer.opacity);
}

void set_shading(vtkProperty& property, Role role, bool is_colored, Style style) {
  if (role == Role::outline || style == Style::wireframe) {
    property.LightingOff();  // a line has no side that could be in the shade
    return;
  }
  // Colours carry numbers, so they keep most of their brightness; a plain surface may be darker in the shade.
  property.SetAmbient(is_colored ? 0.34 : 0.16);
  property.SetDiffuse(is_colored ? 0.74 : 0.88);
  property.SetSpecular(is_colored ? 0.06 : 0.12);
  property.SetSpecularPower(24);
  if (role == Role::cut) {
    property.SetInterpolationToFlat();
    property.SetAmbient(is_colored ? 0.62 : 0.16);
    property.SetDiffuse(is_colored ? 0.45 : 0.88);
    property.SetSpecular(0);
  } else {
    property.SetInterpolationToPhong();
  }
}

/// Draws it nearer to the eye, at the same place of the picture.
void lift_to_eye(vtkActor& actor, vtkRenderer& renderer) {
  actor.SetOrigin(renderer.GetActiveCamera()->GetPosition());
  actor.SetScale(1 - lift);
}

void add_layer(vtkRenderer& renderer, const Layer& layer, const PictureOptions& options) {
  for (const Piece& piece : layer.geometry.pieces) {
    const auto actor = vtkSmartPointer<vtkActor>::New();
    actor->SetMapper(make_mapper(piece, layer, options));
    set_style(*actor->GetProperty(), piece, layer, options);
    set_shading(*actor->GetProperty(), piece.role, layer.is_colored, options.style);
    if (piece.role == Role::lines || piece.role == Role::points) lift_to_eye(*actor, renderer);
    renderer.AddActor(actor);
  }
}

void add_marks(vtkRenderer& renderer, const PictureOptions& options) {
  for (const Mark& mark : options.marks) {
    const auto mapper = vtkSmartPointer<vtkPolyDataMapper>::New();
    mapper->SetInputData(mark.data);
    mapper->ScalarVisibilityOff();
    const auto actor = vtkSmartPointer<vtkActor>::New();
    actor->SetMapper(mapper);
    lift_to_eye(*actor, renderer);
    vtkProperty& property = *actor->GetProperty();
    set_color(property, mark.color);
    property.SetInterpolationToPhong();
    property.SetAmbient(0.32);
    property.SetDiffuse(0.72);
    property.SetSpecular(mark.is_path ? 0.05 : 0.2);
    property.SetSpecularPower(30);
    property.SetLineWidth(0.8 * supersampling);
    if (mark.is_thin) property.LightingOff();
    renderer.AddActor(actor);
  }
}

/// The extent of what is drawn, seen by the camera: x right, y up, z towards the eye.
struct Frame {
  Vec3d right, up, forward;

  [[nodiscard]] Vec3d place(const double* p) const {
    const Vec3d v = {p[0], p[1], p[2]};
    return {dot(v, right), dot(v, up), dot(v, forward)};
  }
};

template <class F>
void for_each_point(const PictureOptions& scene, F&& f) {
  const auto visit = [&](vtkPolyData& data) {
    for (vtkIdType i = 0; i < data.GetNumberOfPoints(); ++i) {
      std::array<double, 3> p{};
      data.GetPoint(i, p.data());
      if (std::isfinite(p[0] + p[1] + p[2])) f(p.data());
    }
  };
  for (const Layer& layer : scene.layers) {
    for (const Piece& piece : layer.geometry.pieces) visit(*piece.data);
  }
  for (const Mark& mark : scene.marks) visit(*mark.data);
}

struct Fit {
  Vec3d middle = {0, 0, 0};  ///< in the camera's axes
  double distance = 1;
};

/// The nearest place of the eye from which every point is inside the picture: a point at (x, y, z) relative
/// to the middle is, if |x| <= (distance - z) tan_x and likewise for y.
Fit fit_points(const PictureOptions& scene, const Frame& frame, double tan_x, double tan_y) {
  Vec3d low = {HUGE_VAL, HUGE_VAL, HUGE_VAL};
  Vec3d high = -1.0 * low;
  for_each_point(scene, [&](const double* p) {
    const Vec3d q = frame.place(p);
    low = {std::min(low.x, q.x), std::min(low.y, q.y), std::min(low.z, q.z)};
    high = {std::max(high.x, q.x), std::max(high.y, q.y), std::max(high.z, q.z)};
  });
  Fit fit;
  fit.middle = 0.5 * (low + high);
  fit.distance = 1e-6 * length(high - low);
  for_each_point(scene, [&](const double* p) {
    const Vec3d q = frame.place(p) - fit.middle;
    fit.distance = std::max({fit.distance, q.z + std::abs(q.x) / tan_x, q.z + std::abs(q.y) / tan_y});
  });
  return fit;
}

/// Darkens creases and holes, by which the eye sees depth. Surfaces that light goes through are left out.
void add_occlusion(vtkRenderer& renderer) {
  std::array<double, 6> box{};
  renderer.ComputeVisiblePropBounds(box.data());
  const double size = length(Vec3d{box[1] - box[0], box[3] - box[2], box[5] - box[4]});
  renderer.SetUseSSAO(true);
  renderer.SetSSAORadius(0.06 * size);
  renderer.SetSSAOBias(0.002 * size);
  renderer.SetSSAOKernelSize(32);
  renderer.SetSSAOBlur(true);
}

bool has_bar(const PictureOptions& options) {
  return options.coloring && options.coloring->has_bar && !options.coloring->is_constant();
}

enum class Symbol : std::uint8_t { disc, stroke, square };

struct LegendEntry {
  Symbol symbol;
  Color color;
  std::string text;
};

/// A constant field, layers and marks.
std::vector<LegendEntry> make_legend(const PictureOptions& options) {
  std::vector<LegendEntry> legend;
  if (options.coloring && options.coloring->has_bar && options.coloring->is_constant()) {
    const Coloring& coloring = *options.coloring;
    const bool has_value = std::isfinite(coloring.lowest);
    const auto table = make_lookup_table(coloring.colormap, coloring.lowest, coloring.highest);
    const double* c = has_value ? table->GetTableValue(0) : table->GetNanColor();
    legend.push_back({Symbol::square,
                      {c[0], c[1], c[2]},
                      has_value ? fmt::format("{} = {:.6g}", coloring.title, coloring.lowest)
                                : fmt::format("{}: no numbers", coloring.title)});
  }
  for (const Layer& layer : options.layers) {
    if (!layer.name.empty()) legend.push_back({Symbol::square, layer.color, layer.name});
  }
  for (const Mark& mark : options.marks) {
    legend.push_back(
        {mark.is_path ? Symbol::stroke : Symbol::disc, mark.color, mark.name + "  " + grouped(mark.count)});
  }
  return legend;
}

/// The part of the width beside the scene, for the colour bar and the legend.
double side_share(const PictureOptions& options) {
  return make_legend(options).empty() ? (has_bar(options) ? bar_share : 0) : legend_share;
}

void place_camera(vtkRenderer& renderer, const PictureOptions& options) {
  constexpr double margin = 0.94;
  const double share = 1 - side_share(options);
  const double tan_y = std::tan(radians(view_angle / 2)) * margin;
  const double tan_x = tan_y * options.width / options.height * share;
  const Vec3d forward = options.camera.direction();
  const Vec3d up = options.camera.up();
  const Frame frame = {cross(up, forward), up, forward};
  const Fit fit = fit_points(options, frame, tan_x, tan_y);
  const Vec3d focus = fit.middle.x * frame.right + fit.middle.y * frame.up + fit.middle.z * frame.forward;
  const Vec3d eye = focus + (fit.distance > 0 ? fit.distance : 1.0) * forward;
  vtkCamera& camera = *renderer.GetActiveCamera();
  camera.SetViewAngle(view_angle);
  camera.SetFocalPoint(focus.x, focus.y, focus.z);
  camera.SetPosition(eye.x, eye.y, eye.z);
  camera.SetViewUp(up.x, up.y, up.z);
  camera.Zoom(options.camera.zoom);
  camera.SetWindowCenter(1 - share, 0);  // moves the scene left, beside the colour bar
}

void set_text(vtkTextProperty& text, const Color& ink, int size, bool is_bold) {
  text.SetColor(ink[0], ink[1], ink[2]);
  text.SetFontFamilyToArial();
  text.SetFontSize(size);
  text.SetBold(is_bold);
  text.SetItalic(false);
  text.SetShadow(false);
}

/// Three to eight round numbers inside the range.
vtkSmartPointer<vtkDoubleArray> make_ticks(double lowest, double highest) {
  const double rough_step = (highest - lowest) / 7;
  const double power = std::pow(10, std::floor(std::log10(rough_step)));
  const std::array<double, 4> nice = {1, 2, 5, 10};
  const double step =
      power * *std::ranges::find_if(nice, [&](double n) { return n * power >= rough_step * 0.999; });
  const double first = std::ceil(lowest / step);
  const double count = std::min(10.0, std::floor(highest / step) - first + 1);
  const auto ticks = vtkSmartPointer<vtkDoubleArray>::New();
  // Whole multiples, so that the middle is 0 and not 5e-17; plus zero, so that it is not -0.
  for (int i = 0; i < count; ++i) ticks->InsertNextValue((first + i) * step + 0.0);
  return ticks;
}

/// As many digits as tell the ticks apart, at least six.
int label_digits(double lowest, double highest) {
  const double largest = std::max(std::abs(lowest), std::abs(highest));
  return std::clamp(2 + static_cast<int>(std::ceil(std::log10(largest / (highest - lowest)))), 6, 17);
}

/// The size of the labels, smaller than `size` if the longest one has too little room.
int label_size(vtkDoubleArray& ticks, int digits, int size, double room) {
  std::size_t longest = 1;
  for (vtkIdType i = 0; i < ticks.GetNumberOfValues(); ++i)
    longest = std::max(longest, fmt::format("{:.{}g}", ticks.GetValue(i), digits).size());
  return std::min(size, static_cast<int>(letter_ratio * room / static_cast<double>(longest)));
}

void add_color_bar(vtkRenderer& renderer, const PictureOptions& options) {
  const Coloring& coloring = *options.coloring;
  const Color ink = readable_on(options.background);
  const int size = std::max(10, options.height * supersampling / 42);
  const auto bar = vtkSmartPointer<vtkScalarBarActor>::New();
  bar->SetLookupTable(make_lookup_table(coloring.colormap, coloring.lowest, coloring.highest));
  bar->SetTitle(coloring.title.c_str());
  const int digits = label_digits(coloring.lowest, coloring.highest);
  bar->SetLabelFormat(fmt::format("%.{}g", digits).c_str());
  bar->SetUseCustomLabels(true);
  const auto ticks = make_ticks(coloring.lowest, coloring.highest);
  bar->SetCustomLabels(ticks);
  bar->SetMaximumNumberOfColors(256);
  bar->SetTextPad(size / 3);
  bar->SetUnconstrainedFontSize(true);
  bar->SetBarRatio(0.22);
  bar->SetVerticalTitleSeparation(size / 2);
  const bool has_legend = side_share(options) == legend_share;
  const double left = 1 - side_share(options) + (has_legend ? 0.01 : 0);
  const double bottom = has_legend ? 0.5 : 0.16;
  bar->SetPosition(left, bottom);
  bar->SetWidth(bar_share - 0.015);
  bar->SetHeight(has_legend ? 0.42 : 0.68);
  bar->SetDrawAnnotations(is_categorical(coloring.colormap));
  if (bar->GetLookupTable()->GetIndexedLookup() != 0) {
    // The names of categories stand opposite to where numbers would; this brings them to the right too.
    bar->SetTextPositionToPrecedeScalarBar();
    bar->SetPosition(left - 0.06, bottom);
  }
  const int title_size =
      std::min(size, size * 14 / std::max<int>(1, static_cast<int>(coloring.title.size())));
  set_text(*bar->GetTitleTextProperty(), ink, title_size, true);
  const double label_room = 0.7 * bar_share * options.width * supersampling;
  set_text(*bar->GetLabelTextProperty(), ink, label_size(*ticks, digits, size, label_room), false);
  set_text(*bar->GetAnnotationTextProperty(), ink, size, false);
  renderer.AddActor2D(bar);
}

vtkSmartPointer<vtkActor2D> make_symbol(const LegendEntry& entry, Vec3d centre, double size) {
  const auto shape = vtkSmartPointer<vtkRegularPolygonSource>::New();
  shape->SetNumberOfSides(entry.symbol == Symbol::disc ? 32 : 4);
  shape->SetRadius(size);
  shape->Update();
  const auto outline = vtkSmartPointer<vtkPolyData>::New();
  outline->DeepCopy(shape->GetOutput());
  vtkPoints& points = *outline->GetPoints();
  const double width = entry.symbol == Symbol::stroke ? 1.5 * size : size;
  const double height = entry.symbol == Symbol::stroke ? 0.28 * size : size;
  for (vtkIdType i = 0; i < points.GetNumberOfPoints(); ++i) {
    const double* p = points.GetPoint(i);
    const Vec3d q = entry.symbol == Symbol::disc
                        ? Vec3d{p[0], p[1], 0}
                        : Vec3d{std::copysign(width, p[0] - p[1]), std::copysign(height, p[0] + p[1]), 0};
    points.SetPoint(i, centre.x + q.x, centre.y + q.y, 0);
  }
  const auto mapper = vtkSmartPointer<vtkPolyDataMapper2D>::New();
  mapper->SetInputData(outline);
  const auto actor = vtkSmartPointer<vtkActor2D>::New();
  actor->SetMapper(mapper);
  actor->GetProperty()->SetColor(entry.color[0], entry.color[1], entry.color[2]);
  return actor;
}

void add_legend(vtkRenderer& renderer, const PictureOptions& options) {
  const std::vector<LegendEntry> legend = make_legend(options);
  const double width = options.width * supersampling;
  const double height = options.height * supersampling;
  const double line = height / 24;
  const double left = width * (1 - legend_share + 0.03);
  const double lines = static_cast<double>(legend.size());
  double y = (has_bar(options) ? 0.44 * height : 0.5 * height + 0.5 * line * lines) - 0.5 * line;
  for (const LegendEntry& entry : legend) {
    renderer.AddActor2D(make_symbol(entry, {left, y, 0}, 0.26 * line));
    const double room = width - left - 0.9 * line;
    const double size = std::min(0.46 * line, letter_ratio * room / static_cast<double>(entry.text.size()));
    const auto text = vtkSmartPointer<vtkTextActor>::New();
    text->SetInput(entry.text.c_str());
    text->SetPosition(left + 0.75 * line, y);
    set_text(*text->GetTextProperty(), readable_on(options.background), std::max(6, static_cast<int>(size)),
             false);
    text->GetTextProperty()->SetVerticalJustificationToCentered();
    text->GetTextProperty()->SetBackgroundColor(options.background[0], options.background[1],
                                                options.background[2]);
    text->GetTextProperty()->SetBackgroundOpacity(0.7);  // where the scene is larger than its place
    renderer.AddActor2D(text);
    y -= line;
  }
}

/// Averages squares of pixels.
vtkSmartPointer<vtkImageData> scale_down(vtkImageData* large, int factor) {
  const int* from = large->GetDimensions();
  const auto small = vtkSmartPointer<vtkImageData>::New();
  small->SetDimensions(from[0] / factor, from[1] / factor, 1);
  small->AllocateScalars(VTK_UNSIGNED_CHAR, 3);
  const auto* pixels = static_cast<const unsigned char*>(large->GetScalarPointer());
  auto* result = static_cast<unsigned char*>(small->GetScalarPointer());
  const int width = from[0] / factor;
  for (int y = 0; y < from[1] / factor; ++y) {
    for (int x = 0; x < 3 * width; ++x) {
      int sum = 0;
      for (int dy = 0; dy < factor; ++dy) {
        for (int dx = 0; dx < factor; ++dx) {
          sum += pixels[(std::size_t(y * factor + dy) * from[0] + (x / 3) * factor + dx) * 3 + x % 3];
        }
      }
      result[std::size_t(y) * width * 3 + x] =
          static_cast<unsigned char>((sum + factor * factor / 2) / (factor * factor));
    }
  }
  return small;
}

std::string encode_png(vtkImageData* image) {
  const auto writer = vtkSmartPointer<vtkPNGWriter>::New();
  writer->SetInputData(image);
  writer->WriteToMemoryOn();
  writer->SetCompressionLevel(9);
  writer->Write();
  const vtkUnsignedCharArray* bytes = writer->GetResult();
  auto* data = const_cast<vtkUnsignedCharArray*>(bytes);
  return {reinterpret_cast<const char*>(data->GetPointer(0)),
          static_cast<std::size_t>(data->GetNumberOfValues())};
}

void report(const PictureOptions& options, double fraction) {
  if (options.monitor != nullptr) options.monitor->update("drawing", fraction);
}

vtkSmartPointer<vtkImageData> take_pixels(vtkRenderWindow* window) {
  const auto grabber = vtkSmartPointer<vtkWindowToImageFilter>::New();
  grabber->SetInput(window);
  grabber->SetInputBufferTypeToRGB();
  grabber->ReadFrontBufferOff();
  grabber->ShouldRerenderOff();
  grabber->Update();
  return grabber->GetOutput();
}

}  // namespace

Bytes drawing_bytes(const PictureOptions& options) {
  constexpr Bytes of_libraries = mib(110);
  constexpr Bytes of_pixel = 480;  // several buffers, with more pixels and samples than the picture has
  constexpr Bytes of_element = 200;
  const auto pixels = static_cast<Bytes>(options.width) * static_cast<Bytes>(options.height);
  Bytes elements = 0;
  for (const Layer& layer : options.layers) {
    for (const Piece& piece : layer.geometry.pieces) {
      elements += static_cast<Bytes>(piece.data->GetNumberOfCells() + piece.data->GetNumberOfPoints());
    }
  }
  for (const Mark& mark : options.marks) {
    elements += static_cast<Bytes>(mark.data->GetNumberOfCells() + mark.data->GetNumberOfPoints());
  }
  return of_libraries + of_pixel * pixels + of_element * elements;
}

std::string draw_png(const PictureOptions& options) {
  report(options, 0);
  const auto renderer = vtkSmartPointer<vtkRenderer>::New();
  renderer->SetBackground(options.background[0], options.background[1], options.background[2]);
  place_camera(*renderer, options);
  for (const Layer& layer : options.layers) add_layer(*renderer, layer, options);
  add_marks(*renderer, options);
  const auto lights = vtkSmartPointer<vtkLightKit>::New();
  lights->SetKeyLightIntensity(0.82);
  lights->SetKeyToFillRatio(2);
  lights->AddLightsToRenderer(renderer);
  renderer->ResetCameraClippingRange();
  add_occlusion(*renderer);
  if (has_bar(options)) add_color_bar(*renderer, options);
  add_legend(*renderer, options);
  const bool is_clear = std::ranges::any_of(options.layers, [](const Layer& l) { return l.opacity < 1; });
  if (is_clear) {
    renderer->SetUseDepthPeeling(true);
    renderer->SetMaximumNumberOfPeels(12);
    renderer->SetOcclusionRatio(0);
  }
  report(options, 0.4);
  const auto window = vtkSmartPointer<vtkRenderWindow>::New();
  window->SetOffScreenRendering(1);
  window->SetMultiSamples(is_clear ? 0 : 4);  // peeling cannot have them
  window->SetAlphaBitPlanes(1);
  window->SetSize(options.width * supersampling, options.height * supersampling);
  window->AddRenderer(renderer);
  window->Render();
  report(options, 0.8);
  return encode_png(scale_down(take_pixels(window), supersampling));
}

}  // namespace tessera::cli
