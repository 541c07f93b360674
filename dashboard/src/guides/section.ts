/** A part of a page under one heading, as the search reads it. */
export interface Section {
  readonly address: string;
  /** Title of the page. */
  readonly title: string;
  readonly heading: string;
  readonly text: string;
}
