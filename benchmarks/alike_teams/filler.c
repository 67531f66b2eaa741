/* The robot of filler.py in another language: compiled with -DORDER=... and -DNEAR=... and so on. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST 512

static char board[MOST][MOST], piece[MOST][MOST];
static int far[MOST * MOST], home[MOST * MOST], queue[MOST * MOST * 8];
static int width, height, wide, high;

static void flood(const char *starts, int *steps) {
    int first = 0, last = 0;
    for (int place = 0; place < width * height; place++) {
        char cell = board[place / width][place % width];
        steps[place] = strchr(starts, cell) != NULL ? 0 : 99;
        if (steps[place] == 0) queue[last++] = place;
    }
    while (first < last) {
        int place = queue[first++];
        for (int down = -1; down <= 1; down++)
            for (int right = -1; right <= 1; right++) {
                int x = place % width + right, y = place / width + down;
                if (x < 0 || x >= width || y < 0 || y >= height || steps[y * width + x] <= steps[place] + 1) continue;
                steps[y * width + x] = steps[place] + 1;
                queue[last++] = y * width + x;
            }
    }
}

static int price(int x, int y, const char *mine) {
    int shared = 0, nearest = 99, sum = 0;
    for (int down = 0; down < high; down++)
        for (int right = 0; right < wide; right++) {
            int row = y + down, column = x + right, place = row * width + column;
            if (piece[down][right] != 'O') continue;
            if (row < 0 || row >= height || column < 0 || column >= width) return 1 << 30;
            if (strchr(mine, board[row][column]) != NULL) shared++;
            else if (board[row][column] != '.') return 1 << 30;
            if (far[place] < nearest) nearest = far[place];
            sum += 10 * (TOTAL) * far[place] + 5 * (CENTRE) * (abs(2 * column - width) + abs(2 * row - height));
            if (column == 0 || column == width - 1 || row == 0 || row == height - 1) sum += 30 * (WALL);
            sum += 10 * (HOME) * home[place] - 10 * (DOWN) * row - 10 * (RIGHT) * column;
        }
    return shared == 1 ? sum + 40 * (NEAR) * nearest : 1 << 30;
}

int main(void) {
    char line[MOST];
    int is_first = 1;
    if (fgets(line, sizeof line, stdin) == NULL) return 1;
    const char *mine = strstr(line, "p1") != NULL ? "@a" : "$s", *theirs = mine[0] == '@' ? "$s" : "@a";
    while (scanf(" Anfield %d %d:", &width, &height) == 2) {
        int best = 1 << 30, best_x = 0, best_y = 0;
        if (scanf("%511s", line) != 1) return 1;
        for (int row = 0; row < height; row++)
            if (scanf("%*s %511s", board[row]) != 1) return 1;
        if (scanf(" Piece %d %d:", &wide, &high) != 2) return 1;
        for (int row = 0; row < high; row++)
            if (scanf("%511s", piece[row]) != 1) return 1;
        if (is_first) flood(mine, home);
        is_first = 0;
        flood(theirs, far);
        int rows = height + high - 1, columns = width + wide - 1;
        for (int number = 0; number < rows * columns; number++) {
            int at = ORDER == 2 ? rows * columns - 1 - number : number;
            int x = ORDER == 1 ? at / rows + 1 - wide : at % columns + 1 - wide;
            int y = ORDER == 1 ? at % rows + 1 - high : at / columns + 1 - high;
            int found = price(x, y, mine);
            if (found < best) best = found, best_x = x, best_y = y;
        }
        printf("%d %d\n", best_x, best_y);
        fflush(stdout);
    }
    return 0;
}
