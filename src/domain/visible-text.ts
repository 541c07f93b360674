const visible = /[^\s\p{Cc}\p{Cf}\p{Cs}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]/u;

/**
 * False for a text of which a reader would see nothing: only spaces, joiners, fillers, or Braille patterns without dots.
 */
export const isVisible = (text: string): boolean => visible.test(text);
