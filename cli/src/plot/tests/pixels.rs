//! Tests of the pictures in pixels.

use super::*;

/// The size and the pixels, red, green and blue, of a PNG file.
fn pixels_of(file: Result<Vec<u8>, PictureError>) -> (usize, usize, Vec<[u8; 3]>) {
    let file = std::io::Cursor::new(file.expect("a picture"));
    let mut reader = png::Decoder::new(file).read_info().expect("a header");
    let mut bytes = vec![0; reader.output_buffer_size().expect("a size")];
    let info = reader.next_frame(&mut bytes).expect("pixels");
    assert_eq!(info.color_type, png::ColorType::Rgb);
    let pixels = bytes.as_chunks().0.to_vec();
    (info.width as usize, info.height as usize, pixels)
}

/// A picture in pixels has what the document has: the line, its peak, and text.
#[test]
fn pixels_show_the_line_and_text() {
    let x: Vec<f64> = (0..100).map(f64::from).collect();
    let y: Vec<f64> = x.iter().map(|x| 1.0 / (1.0 + (x - 50.0).abs())).collect();
    let plot = line(&x, &y);
    let (width, height, pixels) = pixels_of(plot.to_file(Format::Png));
    assert_eq!((width, height), (1800, 1080));
    let count = |color: [u8; 3]| pixels.iter().filter(|&&pixel| pixel == color).count();
    let (line_color, peak, ink) = ([0x1f, 0x5f, 0xbf], [0xc8, 0x32, 0x1e], [0x22; 3]);
    assert!(count(line_color) > 2000, "{}", count(line_color));
    // A disc with a radius of four units of two pixels.
    assert!((150..=201).contains(&count(peak)), "{}", count(peak));
    let with_text = count(ink);
    let bare = LinePlot {
        title: "",
        caption: "",
        x_label: "",
        y_label: "",
        ..plot
    };
    let (_, _, pixels) = pixels_of(bare.to_file(Format::Png));
    let without = pixels.iter().filter(|&&pixel| pixel == ink).count();
    assert!(without > 100 && with_text > without + 500);
}

/// However long the texts are, none reaches the edges of the page.
#[test]
fn long_texts_stay_on_the_page() {
    let long = "a long text, and longer ".repeat(20);
    let x: Vec<f64> = (0..100).map(f64::from).collect();
    for peak in [10.0, 55.0, 90.0] {
        let y: Vec<f64> = x.iter().map(|x| 1.0 / (1.0 + (x - peak).abs())).collect();
        let plot = LinePlot {
            title: &long,
            caption: &long,
            x_label: &long,
            y_label: &long,
            x_as_period: Some(&long),
            ..line(&x, &y)
        };
        let (width, height, pixels) = pixels_of(plot.to_file(Format::Png));
        for (i, pixel) in pixels.iter().enumerate() {
            let (x, y) = (i % width, i / width);
            let at_edge = x < 8 || y < 8 || x + 8 >= width || y + 8 >= height;
            assert!(!at_edge || *pixel == [255; 3], "{x}, {y}");
        }
    }
}

#[test]
fn pixels_show_the_image() {
    let values = [1.0, 1e-4, 1e-8, 1e-12, 0.0, f64::NAN];
    let (width, _, pixels) = pixels_of(image(6, 1, &values).to_file(Format::Png));
    let middle = &pixels[540 * width..541 * width];
    for color in [[253, 231, 37], [68, 1, 84], [200; 3]] {
        let count = middle.iter().filter(|&&pixel| pixel == color).count();
        assert!(count > 100, "{color:?}: {count}");
    }
}
