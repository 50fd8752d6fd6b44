// Logo shows the mark of Vedette.
export function Logo({ size = 22 }: { size?: number }) {
  return (
    <svg class="logo" width={size} height={size} viewBox="0 0 22 22" aria-hidden="true">
      <rect class="logo-back" width="22" height="22" rx="5" />
      <path class="logo-line" d="M5.8 7L11 15.6L16.2 7" />
      <circle class="logo-dot" cx="11" cy="6.4" r="1.5" />
    </svg>
  );
}
