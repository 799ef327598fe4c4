#include "render/picture.h"

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
constexpr Color surface_color = {0.64, 0.72, 0.82};
constexpr Color wire_color = {0.25, 0.36, 0.52};

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

vtkSmartPointer<vtkPolyDataMapper> make_mapper(const Piece& piece, const PictureOptions& options) {
  const auto mapper = vtkSmartPointer<vtkPolyDataMapper>::New();
  mapper->SetInputData(options.style == Style::wireframe ? piece.data : with_normals(piece));
  if (!options.coloring || piece.role == Role::outline) {
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
  mapper->SetInterpolateScalarsBeforeMapping(on_points && !is_categorical(coloring.colormap));
  return mapper;
}

void set_style(vtkProperty& property, const Piece& piece, const PictureOptions& options) {
  const Color ink = readable_on(options.background);
  set_color(property, piece.role == Role::outline ? ink : surface_color);
  property.SetLineWidth(1.2 * supersampling);
  property.SetPointSize(3.0 * supersampling);
  switch (options.style) {
    case Style::wireframe:
      property.SetRepresentationToWireframe();
      set_color(property, wire_color);
      break;
    case Style::surface_with_edges:
      property.EdgeVisibilityOn();
      property.SetEdgeColor(0.12, 0.14, 0.18);
      property.SetLineWidth(0.6 * supersampling);
      break;
    default: break;
  }
  if (piece.role == Role::points) property.SetRenderPointsAsSpheres(true);
  if (piece.role != Role::outline) property.SetOpacity(options.opacity);
}

void set_shading(vtkProperty& property, Role role, const PictureOptions& options) {
  if (role == Role::outline || options.style == Style::wireframe) {
    property.LightingOff();  // a line has no side that could be in the shade
    return;
  }
  // Colours carry numbers, so they keep most of their brightness; a plain surface may be darker in the shade.
  const bool is_colored = options.coloring.has_value();
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

void add_actors(vtkRenderer& renderer, const Geometry& geometry, const PictureOptions& options) {
  for (const Piece& piece : geometry.pieces) {
    const auto actor = vtkSmartPointer<vtkActor>::New();
    actor->SetMapper(make_mapper(piece, options));
    set_style(*actor->GetProperty(), piece, options);
    set_shading(*actor->GetProperty(), piece.role, options);
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

/// Everything that is drawn.
struct Scene {
  const Geometry& geometry;
  const std::vector<Mark>& marks;
};

template <class F>
void for_each_point(const Scene& scene, F&& f) {
  const auto visit = [&](vtkPolyData& data) {
    for (vtkIdType i = 0; i < data.GetNumberOfPoints(); ++i) {
      std::array<double, 3> p{};
      data.GetPoint(i, p.data());
      if (std::isfinite(p[0] + p[1] + p[2])) f(p.data());
    }
  };
  for (const Piece& piece : scene.geometry.pieces) visit(*piece.data);
  for (const Mark& mark : scene.marks) visit(*mark.data);
}

struct Fit {
  Vec3d middle = {0, 0, 0};  ///< in the camera's axes
  double distance = 1;
};

/// The nearest place of the eye from which every point is inside the picture: a point at (x, y, z) relative
/// to the middle is, if |x| <= (distance - z) tan_x and likewise for y.
Fit fit_points(const Scene& scene, const Frame& frame, double tan_x, double tan_y) {
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
  return options.coloring && options.coloring->has_bar;
}

/// The part of the width beside the scene, for the colour bar and the legend.
double side_share(const PictureOptions& options) {
  return options.marks.empty() ? (has_bar(options) ? bar_share : 0) : legend_share;
}

void place_camera(vtkRenderer& renderer, const Geometry& geometry, const PictureOptions& options) {
  constexpr double margin = 0.94;
  const double share = 1 - side_share(options);
  const double tan_y = std::tan(radians(view_angle / 2)) * margin;
  const double tan_x = tan_y * options.width / options.height * share;
  const Vec3d forward = options.camera.direction();
  const Vec3d up = options.camera.up();
  const Frame frame = {cross(up, forward), up, forward};
  const Fit fit = fit_points({geometry, options.marks}, frame, tan_x, tan_y);
  const Vec3d focus = fit.middle.x * frame.right + fit.middle.y * frame.up + fit.middle.z * frame.forward;
  const Vec3d eye = focus + (fit.distance > 0 ? fit.distance : 1.0) * forward;
  vtkCamera& camera = *renderer.GetActiveCamera();
  camera.SetViewAngle(view_angle);
  camera.SetFocalPoint(focus.x, focus.y, focus.z);
  camera.SetPosition(eye.x, eye.y, eye.z);
  camera.SetViewUp(up.x, up.y, up.z);
  camera.Zoom(options.camera.zoom);
  camera.SetWindowCenter(1 - share, 0);  // moves the scene left, beside the colour bar
  renderer.ResetCameraClippingRange();
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

void add_color_bar(vtkRenderer& renderer, const PictureOptions& options) {
  const Coloring& coloring = *options.coloring;
  const Color ink = readable_on(options.background);
  const int size = std::max(10, options.height * supersampling / 42);
  const auto bar = vtkSmartPointer<vtkScalarBarActor>::New();
  bar->SetLookupTable(make_lookup_table(coloring.colormap, coloring.lowest, coloring.highest));
  bar->SetTitle(coloring.title.c_str());
  bar->SetLabelFormat("%.6g");
  bar->SetUseCustomLabels(true);
  bar->SetCustomLabels(make_ticks(coloring.lowest, coloring.highest));
  bar->SetMaximumNumberOfColors(256);
  bar->SetTextPad(size / 3);
  bar->SetUnconstrainedFontSize(true);
  bar->SetBarRatio(0.22);
  bar->SetVerticalTitleSeparation(size / 2);
  const bool has_legend = !options.marks.empty();
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
  set_text(*bar->GetLabelTextProperty(), ink, size, false);
  set_text(*bar->GetAnnotationTextProperty(), ink, size, false);
  renderer.AddActor2D(bar);
}

/// A disc for points or a stroke for paths, in pixels.
vtkSmartPointer<vtkActor2D> make_symbol(const Mark& mark, Vec3d centre, double size) {
  const auto shape = vtkSmartPointer<vtkRegularPolygonSource>::New();
  shape->SetNumberOfSides(mark.is_path ? 4 : 32);
  shape->SetRadius(size);
  shape->Update();
  const auto outline = vtkSmartPointer<vtkPolyData>::New();
  outline->DeepCopy(shape->GetOutput());
  vtkPoints& points = *outline->GetPoints();
  for (vtkIdType i = 0; i < points.GetNumberOfPoints(); ++i) {
    const double* p = points.GetPoint(i);
    const Vec3d q = mark.is_path ? Vec3d{std::copysign(1.5 * size, p[0] - p[1]),
                                         std::copysign(0.28 * size, p[0] + p[1]), 0}
                                 : Vec3d{p[0], p[1], 0};
    points.SetPoint(i, centre.x + q.x, centre.y + q.y, 0);
  }
  const auto mapper = vtkSmartPointer<vtkPolyDataMapper2D>::New();
  mapper->SetInputData(outline);
  const auto actor = vtkSmartPointer<vtkActor2D>::New();
  actor->SetMapper(mapper);
  actor->GetProperty()->SetColor(mark.color[0], mark.color[1], mark.color[2]);
  return actor;
}

void add_legend(vtkRenderer& renderer, const PictureOptions& options) {
  const double width = options.width * supersampling;
  const double height = options.height * supersampling;
  const double line = height / 24;
  const double left = width * (1 - legend_share + 0.03);
  const double lines = static_cast<double>(options.marks.size());
  double y = (has_bar(options) ? 0.44 * height : 0.5 * height + 0.5 * line * lines) - 0.5 * line;
  for (const Mark& mark : options.marks) {
    renderer.AddActor2D(make_symbol(mark, {left, y, 0}, 0.26 * line));
    const auto text = vtkSmartPointer<vtkTextActor>::New();
    text->SetInput((mark.name + "  " + grouped(mark.count)).c_str());
    text->SetPosition(left + 0.75 * line, y);
    set_text(*text->GetTextProperty(), readable_on(options.background), static_cast<int>(0.46 * line), false);
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

std::string draw_png(const Geometry& geometry, const PictureOptions& options) {
  report(options, 0);
  const auto renderer = vtkSmartPointer<vtkRenderer>::New();
  renderer->SetBackground(options.background[0], options.background[1], options.background[2]);
  add_actors(*renderer, geometry, options);
  add_marks(*renderer, options);
  const auto lights = vtkSmartPointer<vtkLightKit>::New();
  lights->SetKeyLightIntensity(0.82);
  lights->SetKeyToFillRatio(2);
  lights->AddLightsToRenderer(renderer);
  place_camera(*renderer, geometry, options);
  add_occlusion(*renderer);
  if (has_bar(options)) add_color_bar(*renderer, options);
  if (!options.marks.empty()) add_legend(*renderer, options);
  if (options.opacity < 1) {
    renderer->SetUseDepthPeeling(true);
    renderer->SetMaximumNumberOfPeels(12);
    renderer->SetOcclusionRatio(0);
  }
  report(options, 0.4);
  const auto window = vtkSmartPointer<vtkRenderWindow>::New();
  window->SetOffScreenRendering(1);
  window->SetMultiSamples(options.opacity < 1 ? 0 : 4);  // peeling cannot have them
  window->SetAlphaBitPlanes(1);
  window->SetSize(options.width * supersampling, options.height * supersampling);
  window->AddRenderer(renderer);
  window->Render();
  report(options, 0.8);
  return encode_png(scale_down(take_pixels(window), supersampling));
}

}  // namespace tessera::cli
