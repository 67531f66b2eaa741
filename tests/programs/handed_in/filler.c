/* Answers with the first legal place. */
#include <stdio.h>
#include <string.h>

#define MOST 512

static char board[MOST][MOST], piece[MOST][MOST];

static int fits(int width, int height, int wide, int high, int x, int y, const char *mine) {
    int own = 0;
    for (int down = 0; down < high; down++)
        for (int right = 0; right < wide; right++) {
            int row = y + down, column = x + right;
            if (piece[down][right] != 'O') continue;
            if (row < 0 || row >= height || column < 0 || column >= width) return 0;
            if (strchr(mine, board[row][column]) != NULL) own++;
            else if (board[row][column] != '.') return 0;
        }
    return own == 1;
}

int main(void) {
    char line[MOST];
    int width, height, wide, high;
    if (fgets(line, sizeof line, stdin) == NULL) return 1;
    const char *mine = strstr(line, "p1") != NULL ? "@a" : "$s";
    while (scanf(" Anfield %d %d:", &width, &height) == 2) {
        if (scanf("%511s", line) != 1) return 1;
        for (int row = 0; row < height; row++)
            if (scanf("%*s %511s", board[row]) != 1) return 1;
        if (scanf(" Piece %d %d:", &wide, &high) != 2) return 1;
        for (int row = 0; row < high; row++)
            if (scanf("%511s", piece[row]) != 1) return 1;
        int x = 0, y = 0, is_found = 0;
        for (int down = -high; down < height && !is_found; down++)
            for (int right = -wide; right < width && !is_found; right++)
                if (fits(width, height, wide, high, right, down, mine)) x = right, y = down, is_found = 1;
        printf("%d %d\n", x, y);
        fflush(stdout);
    }
    return 0;
}
