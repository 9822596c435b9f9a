/** The first release of Node 20 with the known security fixes. package.json names the same one. */
const NODE_VERSION_MIN = '20.20.2';

/** Why the service does not run on a version of Node, such as `20.18.0`; null: it does. */
export function refusalOfNode(version: string): string | null {
  if (compareVersions(version, NODE_VERSION_MIN) >= 0) return null;
  return `Node ${version} lacks security fixes; Sluice needs Node ${NODE_VERSION_MIN} or later`;
}

/** Below 0: the first version is earlier. */
function compareVersions(a: string, b: string): number {
  const [first, second] = [a, b].map((version) => version.split('.').map((part) => Number.parseInt(part, 10)));
  const at = first!.findIndex((part, index) => part !== second![index]);
  return at === -1 ? 0 : first![at]! - second![at]!;
}
