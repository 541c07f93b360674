const placeholder = /^(["'`]?)(?:undefined|null|NULL|NaN|None|\[object .*\]|\{\{.*\}\}|\$\{.*\})\1$/s;

export const noPlaceholder = "must be an id, not a placeholder such as undefined or {{id}}";

/** What programs write where an id is missing, as the service refuses it. */
export const isPlaceholder = (id: string): boolean => placeholder.test(id);
