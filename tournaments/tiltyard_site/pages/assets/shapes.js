// How tokens are drawn: each shape at the size of a square, pointing up, then turned. Sizes are shares of the square.
"use strict";
Tiltyard.shapes = (() => {
  const SMALL = 7;
  const READABLE = 15;

  function block(pen, size, style, look) {
    pen.fillStyle = style.color || look.ink;
    pen.fillRect(0, 0, size, size);
    if (size >= SMALL) {
      pen.fillStyle = "rgba(255,255,255,0.16)";
      pen.fillRect(0, 0, size, Math.max(1, size * 0.08));
      pen.fillStyle = "rgba(0,0,0,0.22)";
      pen.fillRect(0, size - Math.max(1, size * 0.08), size, Math.max(1, size * 0.08));
    }
  }

  function brokenBlock(pen, size, style, look) {
    pen.globalAlpha = 0.55;
    block(pen, size, style, look);
    pen.globalAlpha = 1;
    if (size < SMALL) return;
    pen.strokeStyle = look.floor;
    pen.lineWidth = Math.max(1, size * 0.09);
    pen.beginPath();
    pen.moveTo(size * 0.3, 0);
    pen.lineTo(size * 0.46, size * 0.36);
    pen.lineTo(size * 0.3, size * 0.58);
    pen.lineTo(size * 0.62, size);
    pen.moveTo(size * 0.46, size * 0.36);
    pen.lineTo(size, size * 0.28);
    pen.stroke();
  }

  function turned(pen, size, style, draw) {
    pen.save();
    pen.translate(size / 2, size / 2);
    pen.rotate(((style.turn || 0) * Math.PI) / 4);
    // A square turned by an eighth reaches beyond its corners.
    const unit = size * ((style.turn || 0) % 2 ? 0.86 : 1);
    draw(unit);
    pen.restore();
  }

  function tank(pen, size, style, look) {
    const color = style.ground || look.ink;
    if (size < SMALL) {
      pen.fillStyle = color;
      pen.fillRect(0, 0, size, size);
      return;
    }
    turned(pen, size, style, (unit) => {
      // Tracks, hull, cannon and turret; the outline keeps dark and light colours apart from any floor.
      pen.fillStyle = look.track;
      pen.beginPath();
      pen.roundRect(-unit * 0.44, -unit * 0.38, unit * 0.18, unit * 0.82, unit * 0.06);
      pen.roundRect(unit * 0.26, -unit * 0.38, unit * 0.18, unit * 0.82, unit * 0.06);
      pen.fill();
      pen.fillStyle = color;
      pen.beginPath();
      pen.roundRect(-unit * 0.34, -unit * 0.31, unit * 0.68, unit * 0.7, unit * 0.1);
      pen.fill();
      pen.fillStyle = look.track;
      pen.fillRect(-unit * 0.085, -unit * 0.49, unit * 0.17, unit * 0.4);
      pen.fillStyle = color;
      pen.fillRect(-unit * 0.05, -unit * 0.47, unit * 0.1, unit * 0.4);
      pen.beginPath();
      pen.arc(0, unit * 0.04, unit * 0.27, 0, 2 * Math.PI);
      pen.fill();
      pen.lineWidth = Math.max(1, unit * 0.045);
      pen.strokeStyle = look.track;
      pen.stroke();
    });
    if (size >= READABLE && style.mark) mark(pen, size, style.mark, style.color || "#fff", 0.42);
  }

  function wreck(pen, size, style, look) {
    const color = style.color || look.ink;
    pen.strokeStyle = color;
    pen.lineWidth = Math.max(1.5, size * 0.14);
    pen.lineCap = "round";
    pen.beginPath();
    pen.moveTo(size * 0.22, size * 0.22);
    pen.lineTo(size * 0.78, size * 0.78);
    pen.moveTo(size * 0.78, size * 0.22);
    pen.lineTo(size * 0.22, size * 0.78);
    pen.stroke();
  }

  function shell(pen, size, style, look) {
    const color = style.color || look.shot;
    if (size < SMALL) {
      pen.fillStyle = color;
      pen.fillRect(size * 0.2, size * 0.2, size * 0.6, size * 0.6);
      return;
    }
    turned(pen, size, style, (unit) => {
      const trail = pen.createLinearGradient(0, 0, 0, unit * 0.48);
      trail.addColorStop(0, color);
      trail.addColorStop(1, "rgba(128,128,128,0)");
      pen.fillStyle = trail;
      pen.fillRect(-unit * 0.07, -unit * 0.05, unit * 0.14, unit * 0.53);
      pen.fillStyle = color;
      pen.beginPath();
      pen.moveTo(0, -unit * 0.36);
      pen.quadraticCurveTo(unit * 0.15, -unit * 0.2, unit * 0.13, unit * 0.06);
      pen.lineTo(-unit * 0.13, unit * 0.06);
      pen.quadraticCurveTo(-unit * 0.15, -unit * 0.2, 0, -unit * 0.36);
      pen.fill();
    });
  }

  function shells(pen, size, style, look) {
    pen.fillStyle = style.color || look.shot;
    for (const [x, y] of [[0.33, 0.4], [0.67, 0.6]]) {
      pen.beginPath();
      pen.arc(size * x, size * y, Math.max(1, size * 0.15), 0, 2 * Math.PI);
      pen.fill();
    }
  }

  function mine(pen, size, style, look) {
    const color = style.color || look.ink;
    if (size < SMALL) {
      pen.fillStyle = color;
      pen.fillRect(size * 0.25, size * 0.25, size * 0.5, size * 0.5);
      return;
    }
    pen.strokeStyle = color;
    pen.fillStyle = color;
    pen.lineWidth = Math.max(1, size * 0.09);
    pen.lineCap = "round";
    pen.beginPath();
    for (let eighth = 0; eighth < 8; eighth++) {
      const x = Math.cos((eighth * Math.PI) / 4);
      const y = Math.sin((eighth * Math.PI) / 4);
      pen.moveTo(size * 0.5, size * 0.5);
      pen.lineTo(size * (0.5 + 0.36 * x), size * (0.5 + 0.36 * y));
    }
    pen.stroke();
    pen.beginPath();
    pen.arc(size / 2, size / 2, size * 0.24, 0, 2 * Math.PI);
    pen.fill();
    pen.fillStyle = "rgba(255,255,255,0.55)";
    pen.beginPath();
    pen.arc(size * 0.43, size * 0.43, size * 0.06, 0, 2 * Math.PI);
    pen.fill();
  }

  function disc(pen, size, style, look) {
    pen.fillStyle = style.ground || look.ink;
    pen.beginPath();
    pen.arc(size / 2, size / 2, size * 0.4, 0, 2 * Math.PI);
    pen.fill();
    if (size >= READABLE && style.mark) mark(pen, size, style.mark, style.color || look.floor, 0.5);
  }

  function nothing() {}

  function mark(pen, size, text, color, share) {
    pen.fillStyle = color;
    pen.font = `700 ${Math.round(size * share)}px system-ui, sans-serif`;
    pen.textAlign = "center";
    pen.textBaseline = "middle";
    pen.fillText(text, size / 2, size * 0.545, size);
  }

  function glyph(pen, size, text, style, look) {
    if (style.ground) {
      pen.fillStyle = style.ground;
      pen.fillRect(0, 0, size, size);
    }
    if (!text) return;
    if (size < SMALL) {
      pen.fillStyle = style.ground || style.color || look.ink;
      pen.fillRect(size * 0.15, size * 0.15, size * 0.7, size * 0.7);
      return;
    }
    mark(pen, size, text, style.color || look.ink, [...text].length > 1 ? 0.5 : 0.66);
  }

  function ring(pen, size, color) {
    pen.strokeStyle = color;
    pen.lineWidth = Math.max(1.5, size * 0.09);
    pen.beginPath();
    pen.arc(size / 2, size / 2, size * 0.445, 0, 2 * Math.PI);
    pen.stroke();
  }

  function dot(pen, size, color, look) {
    const outline = size * 0.04;
    for (const [radius, fill] of [[size * 0.13 + outline, look.floor], [size * 0.13, color]]) {
      pen.fillStyle = fill;
      pen.beginPath();
      pen.arc(size * 0.83, size * 0.17, radius, 0, 2 * Math.PI);
      pen.fill();
    }
  }

  const DRAWN = { block, "broken block": brokenBlock, tank, wreck, shell, shells, mine, disc, nothing };

  /** Draw a token into the square at (0, 0). `look` has the page's own colours. */
  function draw(pen, size, token, style, look) {
    const known = style ? DRAWN[style.shape] : undefined;
    pen.save();
    pen.beginPath();
    pen.rect(0, 0, size, size);
    pen.clip();
    if (style && style.floor) {
      pen.fillStyle = style.floor;
      pen.fillRect(0, 0, size, size);
    }
    if (known) known(pen, size, style, look);
    else if (style) glyph(pen, size, style.glyph || "", style, look);
    else glyph(pen, size, [...token.trim()].slice(0, 2).join(""), {}, look);
    if (style && style.ring && size >= SMALL) ring(pen, size, style.ring);
    if (style && style.dot && size >= READABLE) dot(pen, size, style.dot, look);
    pen.restore();
  }

  return { draw };
})();
