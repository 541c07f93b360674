/** True if data sent there can't be read in transit: https, or this machine. */
export const isSecure = ({ origin }: URL): boolean =>
  /^https:|\/\/((.+\.)?localhost|127[.\d]+|\[::1])(:\d+)?$/.test(origin);
