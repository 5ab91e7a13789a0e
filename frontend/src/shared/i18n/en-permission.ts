/** Messages about permission cards, which the panels that show one add when they are loaded. */
export const permission = {
  'permission.sites': 'Sites',
  'permission.tools': 'Actions',
  'permission.effects': 'On pages',
  'permission.effect.send': 'send forms',
  'permission.effect.post': 'publish and send messages',
  'permission.effect.pay': 'pay',
  'permission.effect.delete': 'delete',
  'permission.files': 'Files',
  'permission.commands': 'Commands',
  'permission.secrets': 'Secrets',
  'permission.none': 'none',
};
