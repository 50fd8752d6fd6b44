// Icons of things and actions, drawn as lines. Each has text next to it, or a label that
// names the button.

const paths = {
  search: "M7 12A5 5 0 1 0 7 2A5 5 0 0 0 7 12ZM10.8 10.8L14 14",
  clock: "M8 14A6 6 0 1 0 8 2A6 6 0 0 0 8 14ZM8 4.8V8.2L10.3 9.6",
  down: "M4.5 6.5L8 10L11.5 6.5",
  up: "M4.5 9.5L8 6L11.5 9.5",
  left: "M9.5 4.5L6 8L9.5 11.5",
  right: "M6.5 4.5L10 8L6.5 11.5",
  arrowDown: "M8 3V13M4 9L8 13L12 9",
  arrowUp: "M8 13V3M4 7L8 3L12 7",
  plus: "M8 2.5V13.5M2.5 8H13.5",
  minus: "M2.5 8H13.5",
  close: "M3.5 3.5L12.5 12.5M12.5 3.5L3.5 12.5",
  check: "M3 8.5L6.5 12L13 4.5",
  moon: "M13.5 9.6A6 6 0 1 1 6.4 2.5A4.8 4.8 0 0 0 13.5 9.6Z",
  sun: "M8 11A3 3 0 1 0 8 5A3 3 0 0 0 8 11ZM8 1.2V2.6M8 13.4V14.8M1.2 8H2.6M13.4 8H14.8M3.2 3.2L4.2 4.2M11.8 11.8L12.8 12.8M12.8 3.2L11.8 4.2M4.2 11.8L3.2 12.8",
  columns: "M2 3H14V13H2ZM6 3V13M10 3V13",
  dots: "M3.2 8H3.3M8 8H8.1M12.7 8H12.8",
  link: "M6.8 9.2A3 3 0 0 0 11 9.2L13.2 7A3 3 0 0 0 9 2.8L7.9 3.9M9.2 6.8A3 3 0 0 0 5 6.8L2.8 9A3 3 0 0 0 7 13.2L8.1 12.1",
  expand: "M9.5 2.5H13.5V6.5M13.5 2.5L9 7M6.5 13.5H2.5V9.5M2.5 13.5L7 9",
  pencil: "M10.5 2.8L13.2 5.5L5.5 13.2L2.5 13.5L2.8 10.5Z",
  bell: "M4 11V7A4 4 0 0 1 12 7V11L13 12.3H3ZM6.8 14.3H9.2",
  retry: "M13 8.6A5 5 0 1 1 11.4 4.3L13 5.8M13.2 2.4V6H9.6",
  stop: "M4 4H12V12H4Z",
  copy: "M5.5 5.5H13.5V13.5H5.5ZM10.5 5.5V2.5H2.5V10.5H5.5",
  download: "M8 2.5V10.5M4.5 7.5L8 11L11.5 7.5M3 13.5H13",
  filter: "M2.5 4.5H13.5M4.5 8H11.5M6.5 11.5H9.5",
  list: "M5.5 4H14M5.5 8H14M5.5 12H14M2.2 4H2.3M2.2 8H2.3M2.2 12H2.3",
  timeline: "M3 4H9M5 8H13M7 12H11",
  stats: "M3.5 13V9M8 13V3M12.5 13V6.5",
  file: "M4 2H9.5L12.5 5V14H4ZM9.5 2V5H12.5",
  pause: "M5.5 3.5V12.5M10.5 3.5V12.5",
  play: "M5 3.5L12 8L5 12.5Z",
  warning: "M8 2.2L14.5 13.5H1.5ZM8 6.5V9.5M8 11.6V11.7",
  info: "M8 14A6 6 0 1 0 8 2A6 6 0 0 0 8 14ZM8 7.5V11M8 5.2V5.3",
  person: "M8 8A2.8 2.8 0 1 0 8 2.4A2.8 2.8 0 0 0 8 8ZM2.8 13.6A5.4 5.4 0 0 1 13.2 13.6",
  gear: "M8 10.2A2.2 2.2 0 1 0 8 5.8A2.2 2.2 0 0 0 8 10.2ZM8 1.8V4M8 12V14.2M1.8 8H4M12 8H14.2M3.6 3.6L5.2 5.2M10.8 10.8L12.4 12.4M12.4 3.6L10.8 5.2M5.2 10.8L3.6 12.4",
} as const;

// IconName names an icon.
export type IconName = keyof typeof paths;

// Icon shows an icon in the color of the text.
export function Icon({ name, size = 16 }: { name: IconName; size?: number }) {
  return (
    <svg class="icon" width={size} height={size} viewBox="0 0 16 16" aria-hidden="true">
      <path d={paths[name]} stroke-width={name === "dots" || name === "list" ? 1.8 : 1.4} />
    </svg>
  );
}
