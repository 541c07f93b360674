import "./bars.css";
import type { ComponentChildren, JSX } from "preact";

export interface BarRow {
  readonly key: string;
  readonly title: ComponentChildren;
  /** The full text, for a tooltip. */
  readonly tooltip: string;
  /** Sets the length of the bar. */
  readonly size: number;
  readonly figures: readonly ComponentChildren[];
  readonly onChoose?: () => void;
}

interface BarsProps {
  readonly caption: string;
  readonly heads: readonly string[];
  readonly rows: readonly BarRow[];
}

/** A list whose rows have a bar behind them, the longest for the largest. */
export function Bars({ caption, heads, rows }: BarsProps): JSX.Element {
  const largest = Math.max(1, ...rows.map(({ size }) => size));
  const [first, ...others] = heads;
  return (
    <table class="bars">
      <caption class="unseen">{caption}</caption>
      <thead>
        <tr>
          <th scope="col">{first}</th>
          {others.map((head) => (
            <th key={head} scope="col" class="number">
              {head}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map(({ key, title, tooltip, size, figures, onChoose }) => (
          <tr key={key}>
            <th scope="row" title={tooltip}>
              <span class="bar" style={{ inlineSize: `${Math.max(0, (100 * size) / largest)}%` }} />
              {onChoose === undefined ? (
                <bdi>{title}</bdi>
              ) : (
                <button type="button" class="plain-link" onClick={onChoose}>
                  <bdi>{title}</bdi>
                </button>
              )}
            </th>
            {figures.map((figure, i) => (
              <td key={others[i]} class="number">
                {figure}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
