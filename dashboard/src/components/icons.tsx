import type { ComponentChildren, JSX } from "preact";

export type Icon = () => JSX.Element;

const icon =
  (drawing: ComponentChildren): Icon =>
  () => (
    <svg
      width="16"
      height="16"
      viewBox="0 0 16 16"
      fill="none"
      stroke="currentColor"
      stroke-width="1.5"
      stroke-linecap="round"
      stroke-linejoin="round"
      aria-hidden="true"
    >
      {drawing}
    </svg>
  );

export const CheckIcon = icon(<path d="m3.5 8.5 3 3 6-7" />);
export const CrossIcon = icon(<path d="m4 4 8 8m0-8-8 8" />);
export const CopyIcon = icon(
  <>
    <rect x="5.5" y="5.5" width="8" height="8" rx="1.5" />
    <path d="M10.5 5.5V4A1.5 1.5 0 0 0 9 2.5H4A1.5 1.5 0 0 0 2.5 4v5A1.5 1.5 0 0 0 4 10.5h1.5" />
  </>,
);
export const DownloadIcon = icon(<path d="M8 2.5v7.5m-3-3 3 3 3-3m-8 6.5h10" />);
export const ChevronIcon = icon(<path d="m5 6.5 3 3 3-3" />);
export const UpIcon = icon(<path d="M8 12.5v-9m-3.5 3.5L8 3.5 11.5 7" />);
export const DownIcon = icon(<path d="M8 3.5v9m-3.5-3.5L8 12.5 11.5 9" />);
export const OverviewIcon = icon(<path d="M2.5 13.5v-4m4 4v-8m4 8V8m3.5 5.5v-11" />);
export const EventsIcon = icon(<path d="M1.75 8.5h3l2-5 3 9 2-4h2.5" />);
export const PayoutsIcon = icon(
  <>
    <rect x="1.75" y="4" width="12.5" height="8" rx="1.5" />
    <circle cx="8" cy="8" r="1.75" />
  </>,
);
export const SetupIcon = icon(
  <>
    <circle cx="8" cy="8" r="5.75" />
    <path d="m5.75 8.25 1.6 1.6 3-3.4" />
  </>,
);
export const WarningIcon = icon(
  <path d="M8 5.75v3m0 2.25v.1M6.9 2.9 1.9 11.6c-.5.8.1 1.9 1.1 1.9h10c1 0 1.6-1.1 1.1-1.9L9.1 2.9a1.25 1.25 0 0 0-2.2 0Z" />,
);
export const SearchIcon = icon(<path d="M7 11.5a4.5 4.5 0 1 0 0-9 4.5 4.5 0 0 0 0 9Zm3.2-1.3 3.3 3.3" />);
export const MoreIcon = icon(<path d="M3.5 8h.01M8 8h.01M12.5 8h.01" />);
export const PlusIcon = icon(<path d="M8 3.5v9M3.5 8h9" />);
export const LinkIcon = icon(
  <path d="M6.75 9.25a2.75 2.75 0 0 0 3.9 0l2-2a2.75 2.75 0 1 0-3.9-3.9l-.75.75m1.25 2.65a2.75 2.75 0 0 0-3.9 0l-2 2a2.75 2.75 0 1 0 3.9 3.9l.75-.75" />,
);
export const UserIcon = icon(
  <>
    <circle cx="8" cy="5.5" r="2.75" />
    <path d="M2.75 13.5c.6-2.5 2.7-4 5.25-4s4.65 1.5 5.25 4" />
  </>,
);
export const PartnersIcon = icon(
  <>
    <circle cx="6" cy="5.5" r="2.5" />
    <path d="M1.75 13c.4-2.3 2-3.75 4.25-3.75S9.85 10.7 10.25 13M10.5 3.2a2.5 2.5 0 0 1 0 4.6M12 9.6c1.2.6 2 1.8 2.25 3.4" />
  </>,
);
export const CommissionsIcon = icon(
  <>
    <ellipse cx="8" cy="4.25" rx="5" ry="2" />
    <path d="M3 4.25V8c0 1.1 2.2 2 5 2s5-.9 5-2V4.25M3 8v3.75c0 1.1 2.2 2 5 2s5-.9 5-2V8" />
  </>,
);
export const SettingsIcon = icon(
  <>
    <path d="M2.5 5h6m3.5 0h1.5M2.5 11H4m3.5 0h6" />
    <circle cx="10.25" cy="5" r="1.75" />
    <circle cx="5.75" cy="11" r="1.75" />
  </>,
);
