// Moves a layer of a picture: drag, wheel, pinch of a touchpad, buttons.

export class PanZoom {
  private scale = 1;
  private x = 0;
  private y = 0;
  private width = 1;
  private height = 1;

  constructor(
    private readonly picture: SVGSVGElement,
    private readonly layer: SVGGElement,
  ) {
    picture.addEventListener("wheel", (event) => this.onWheel(event), { passive: false });
    picture.addEventListener("pointerdown", (event) => this.onDown(event));
  }

  /** The size of what the layer has; shows all of it, or its beginning if it is large. */
  setSize(width: number, height: number): void {
    this.width = width;
    this.height = height;
    this.fit(0.8);
  }

  fit(least = 0.02): void {
    const { clientWidth, clientHeight } = this.picture;
    const scale = Math.min(1.25, clientWidth / this.width, clientHeight / this.height);
    this.scale = Math.max(scale, least);
    this.x = (clientWidth - this.width * this.scale) / 2;
    this.y = scale < least ? 0 : Math.max(0, (clientHeight - this.height * this.scale) / 2);
    this.apply();
  }

  zoom(factor: number, x = this.picture.clientWidth / 2, y = this.picture.clientHeight / 2): void {
    const next = Math.min(4, Math.max(0.02, this.scale * factor));
    this.x = x - ((x - this.x) * next) / this.scale;
    this.y = y - ((y - this.y) * next) / this.scale;
    this.scale = next;
    this.apply();
  }

  /** Moves so that an element of the layer is seen. */
  reveal(element: SVGGElement): void {
    const frame = this.picture.getBoundingClientRect();
    const box = element.getBoundingClientRect();
    if (box.left >= frame.left && box.right <= frame.right && box.top >= frame.top && box.bottom <= frame.bottom) return;
    this.x += frame.left + frame.width / 2 - (box.left + box.width / 2);
    this.y += frame.top + frame.height / 2 - (box.top + box.height / 2);
    this.apply();
  }

  private apply(): void {
    this.layer.setAttribute("transform", `translate(${this.x.toFixed(2)},${this.y.toFixed(2)}) scale(${this.scale.toFixed(4)})`);
    this.picture.classList.toggle("far", this.scale < 0.45);
  }

  private onWheel(event: WheelEvent): void {
    event.preventDefault();
    const frame = this.picture.getBoundingClientRect();
    if (event.ctrlKey || event.deltaMode !== 0 || Math.abs(event.deltaY) >= 50)
      this.zoom(Math.exp(-event.deltaY / 400), event.clientX - frame.left, event.clientY - frame.top);
    else {
      this.x -= event.deltaX;
      this.y -= event.deltaY;
      this.apply();
    }
  }

  private onDown(event: PointerEvent): void {
    if (event.button !== 0) return;
    const start = { x: event.clientX - this.x, y: event.clientY - this.y };
    const move = (moved: PointerEvent) => {
      this.x = moved.clientX - start.x;
      this.y = moved.clientY - start.y;
      this.apply();
    };
    const end = () => {
      removeEventListener("pointermove", move);
      removeEventListener("pointerup", end);
    };
    addEventListener("pointermove", move);
    addEventListener("pointerup", end);
  }
}
