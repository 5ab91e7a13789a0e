/** Messages about backups. */
export const backups = {
  'settings.backups': 'Backups',
  'settings.backups.means':
    'A copy of your conversations, notes, recipes, settings, permissions, bookmarks, history and the audit log, made once a day and kept for a week. Attachments, panels, secrets and the files in your folders are not in it.',
  'settings.backups.words': 'Daily copies of your data, restore a day',
  'backups.day': 'Day',
  'backups.made': 'Made',
  'backups.size': 'Size',
  'backups.restore': 'Restore',
  'backups.restore.one': 'Restore the backup of {day}',
  'backups.make': 'Back up now',
  'backups.making': 'Backing up…',
  'backups.done': 'Backed up',
  'backups.none': 'No backup yet',
  'backups.none.means': 'Sextant makes the first one shortly after it starts. You can also make it now.',
  'backups.requested': 'The backup of {day} is restored at the next start.',
  'backups.requested.means':
    'Quit Sextant and start it again. What is here now is replaced, and kept as a file in the data folder.',
  'backups.withdraw': 'Do not restore',
  'backups.folder': 'Folder',
};
