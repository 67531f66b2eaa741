/* A program for Penguins that makes the first legal placement or move, after as many rounds of work as BUSY says; NAME is its ID. */
#include <stdio.h>
#include <string.h>

static int rows, columns, cells[10000], players, numbers[10], scores[10];
static char names[10][100];

static int read_state(const char *path)
{
    FILE *file = fopen(path, "r");
    if (!file || fscanf(file, "%d %d", &rows, &columns) != 2 || rows * columns > 10000) return 0;
    for (int i = 0; i < rows * columns; i++) if (fscanf(file, "%d", &cells[i]) != 1) return 0;
    while (players < 10 && fscanf(file, "%99s %d %d", names[players], &numbers[players], &scores[players]) == 3) players++;
    fclose(file);
    return 1;
}

static int write_state(const char *path)
{
    FILE *file = fopen(path, "w");
    if (!file) return 3;
    fprintf(file, "%d %d\n", rows, columns);
    for (int i = 0; i < rows * columns; i++) fprintf(file, "%02d%c", cells[i], (i + 1) % columns ? ' ' : '\n');
    for (int i = 0; i < players; i++) fprintf(file, "%s %d %d\n", names[i], numbers[i], scores[i]);
    fclose(file);
    return 0;
}

static int place(int own, int penguins)
{
    int placed = 0, target = -1;
    for (int i = rows * columns - 1; i >= 0; i--) {
        if (own < players && cells[i] % 10 == numbers[own]) placed++;
        if (cells[i] == 10) target = i;
    }
    if (placed >= penguins || target < 0) return 1;
    if (own == players) {
        strcpy(names[players], NAME);
        numbers[players] = players + 1;
        players++;
    }
    cells[target] = numbers[own];
    scores[own]++;
    return 0;
}

static int move(int own)
{
    const int steps[4] = {-columns, columns, -1, 1};
    for (int i = 0; own < players && i < rows * columns; i++) {
        if (cells[i] % 10 != numbers[own]) continue;
        for (int side = 0; side < 4; side++) {
            int target = i + steps[side];
            if (target < 0 || target >= rows * columns || (side > 1 && target / columns != i / columns)) continue;
            if (cells[target] < 10 || cells[target] % 10) continue;
            scores[own] += cells[target] / 10;
            cells[target] = numbers[own];
            cells[i] = 0;
            return 0;
        }
    }
    return 1;
}

int main(int count, char **words)
{
    int penguins = 0, own = 0, status;
    if (count == 2) return puts(NAME) < 0;
    if (!read_state(words[count - 2])) return 2;
    /* No clock: under a limit of CPU time the kernel's own is only as fine as its ticks. */
    for (volatile long i = BUSY; i > 0; i--) {}
    while (own < players && strcmp(names[own], NAME)) own++;
    status = sscanf(words[2], "penguins=%d", &penguins) == 1 ? place(own, penguins) : move(own);
    return status ? status : write_state(words[count - 1]);
}
