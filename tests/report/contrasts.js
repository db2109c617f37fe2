// Return the texts of the page whose contrast with what is behind them is too low, and how many there are.
const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
const rgb = (color) => {
  canvas.clearRect(0, 0, 1, 1);
  canvas.fillStyle = color;
  canvas.fillRect(0, 0, 1, 1);
  return [...canvas.getImageData(0, 0, 1, 1).data];
};
const light = ([red, green, blue]) => {
  const [r, g, b] = [red, green, blue].map((part) => part / 255)
    .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};
const behind = (node) => {
  for (let at = node; at; at = at.parentElement) {
    if (at.matches("g.node, a.node")) return rgb(getComputedStyle(at.querySelector("rect")).fill);
    const color = rgb(getComputedStyle(at).backgroundColor);
    if (color[3] === 255) return color;
  }
  return rgb("white");
};
const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
const texts = [];
let count = 0;
while (walker.nextNode()) {
  const node = walker.currentNode.parentElement;
  if (!walker.currentNode.data.trim() || !node.checkVisibility() || node.matches("title, option")) continue;
  const style = getComputedStyle(node);
  const ratio = (Math.max(light(rgb(node.matches("text") ? style.fill : style.color)), light(behind(node))) + 0.05)
    / (Math.min(light(rgb(node.matches("text") ? style.fill : style.color)), light(behind(node))) + 0.05);
  count += 1;
  if (ratio < 4.5) texts.push(`${ratio.toFixed(2)} ${node.tagName}.${node.className.baseVal ?? node.className} ${walker.currentNode.data}`);
}
return { texts: [...new Set(texts)], count };
